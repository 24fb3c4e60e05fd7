import { displayText } from '../ground/error-text.js'
import { warningWords } from '../ground/warning-words.js'
import { fenceWalker } from '../text/fences.js'
import { MacroContext } from './macro-context.js'
import { type Definition, Preprocessor, type PreprocessorResult } from './preprocessor.js'

const defineLine = /^([ \t]*)#define(?:[ \t]+([^\r\n]*))?\r?$/gm
const nameAndValue = /^([A-Za-z_][A-Za-z0-9_]*)(?:[ \t]+([\s\S]*))?$/

/** The macros that a prompt defines, by `#define NAME value` or `@{define NAME, "value"}`; the last one wins. */
export function extractMacroDefinitions(prompt: string): Map<string, string> {
  const macros = new MacroContext()
  processPrompt(prompt, macros)
  return new Map(macros.entries())
}

/**
 * A prompt's active text: the branches that its conditions select, with its definitions applied to `macros`. Fenced
 * code and `#define` lines are blanked, because pasted text and macro values are data. `sourceOffset` maps back to the
 * prompt.
 */
export function processPrompt(prompt: string, macros: MacroContext, source = 'prompt'): PreprocessorResult {
  const definitions: Definition[] = []
  const text = blankFences(prompt).replace(
    defineLine,
    (line, indent: string, written: string | undefined, at: number) => {
      const definition = readDefinition(written?.trim() ?? '')
      definitions.push({ at: at + indent.length, ...definition })
      return 'problem' in definition ? line : blank(line)
    },
  )
  return new Preprocessor(macros).process(text, { source, definitions })
}

function readDefinition(written: string) {
  const [, name, value] = nameAndValue.exec(written) ?? []
  if (name !== undefined) return { name, value: value ?? '' }
  const problem =
    written === '' ? warningWords('unnamed-define') : warningWords('misnamed-define', displayText(written))
  return { problem }
}

/** Fenced code as spaces of the same length, its line ends kept. */
function blankFences(text: string): string {
  if (!text.includes('```') && !text.includes('~~~')) return text
  const inFence = fenceWalker(text)
  return text.replace(/[^\n]+/g, (line, at: number) => (inFence(at) ? blank(line) : line))
}

function blank(text: string): string {
  return ' '.repeat(text.length)
}
