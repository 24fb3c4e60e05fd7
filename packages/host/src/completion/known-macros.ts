import { extractMacroDefinitions } from '@mutsumi/context'
import type { AgentMetadata, Reading, ReadOptions } from '@mutsumi/schema'
import type { Macros } from './offers.js'

/** The parts of a workspace that reading its rules needs. */
export interface RulesReader {
  readonly root: string
  list(
    path: string,
    allowed: readonly string[],
  ): { readonly kind: string; readonly entries?: readonly { readonly name: string }[] }
  read(path: string, options: ReadOptions): Reading
}

const rulesFolder = '.mutsumi/rules'
const largestRule = 256 * 1024

/** The macros that a prompt can use: those that rules define, then those of the session. */
export function knownMacros(place: RulesReader, session: AgentMetadata['macroContext'] = {}): Macros {
  return {
    ...Object.fromEntries(rulesTexts(place).flatMap((text) => [...extractMacroDefinitions(text)])),
    ...session,
  }
}

function rulesTexts(place: RulesReader): readonly string[] {
  const allowed = [place.root]
  const folder = `${place.root}/${rulesFolder}`
  const { entries = [] } = place.list(folder, allowed)
  return entries
    .filter(({ name }) => name.endsWith('.md'))
    .flatMap(({ name }) => {
      const reading = place.read(`${folder}/${name}`, { allowed, maxBytes: largestRule, maxImageBytes: 0 })
      return reading.kind === 'file' ? [reading.text] : []
    })
}
