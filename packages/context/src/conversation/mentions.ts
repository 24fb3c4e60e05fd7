import { canonicalJson, type Warning, type WordedPhrase } from '@mutsumi/schema'
import { macroValue } from '../documents/expander.js'
import type { MacroContext } from '../documents/macro-context.js'
import { processPrompt } from '../documents/macro-definitions.js'
import { referenceWithMacros } from '../documents/substitute.js'
import { scanReferences } from '../text/brackets.js'
import { LineIndex } from '../text/line-index.js'
import { canonicalKey, resolvePath, withRange } from '../text/path.js'
import type { Reference } from '../text/reference.js'

/** A reference in a user's text, and its position. */
export interface Mention {
  /** The id of its item: `file:src/a.ts`, `tool:LS{"path":"."}`. It is the same for every spelling. */
  readonly id: string
  readonly reference: Reference
  readonly source: string
  readonly line: number
  readonly column: number
}

export interface PromptReading {
  readonly mentions: readonly Mention[]
  readonly warnings: readonly Warning[]
}

/**
 * Finds the references in a user's text. Definitions in the text are applied to `macros`; the text itself is sent as
 * typed.
 */
export function readPrompt(
  prompt: string,
  macros: MacroContext,
  { source, root }: { source: string; root: string },
): PromptReading {
  const active = processPrompt(prompt, macros, source)
  const warnings = [...active.warnings]
  const lines = new LineIndex(prompt)
  const mentions = scanReferences(active.content).map(({ content, start }) => {
    const place = { source, ...lines.locate(active.sourceOffset(start)) }
    const warn = (code: string, words: WordedPhrase) => warnings.push({ code, ...words, ...place })
    const reference = referenceWithMacros(content, macros, (name) => macroValue('', name, macros, warn))
    return { id: mentionId(reference, root), reference, ...place }
  })
  return { mentions, warnings }
}

export function mentionId(reference: Reference, root: string): string {
  switch (reference.kind) {
    case 'path':
      return `file:${withRange(canonicalKey(resolvePath(reference.path, root, root), root), reference.range)}`
    case 'tool':
      return `tool:${toolKey(reference.name, reference.args)}`
    case 'invalid':
      return `${reference.tool === undefined ? 'file' : 'tool'}:${reference.raw}`
    default:
      return reference satisfies never
  }
}

function toolKey(name: string, args: Parameters<typeof canonicalJson>[0]): string {
  return name + canonicalJson(args)
}
