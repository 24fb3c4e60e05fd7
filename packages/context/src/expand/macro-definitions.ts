import { fenceWalker } from '../parse/fences.js'
import { MacroContext } from './macro-context.js'
import { Preprocessor, type PreprocessorResult } from './preprocessor.js'

const defineLine = /^[ \t]*#define[ \t]+([A-Za-z_][A-Za-z0-9_]*)(?:[ \t]+([^\r\n]*))?\r?$/gm

/** The macros that a prompt defines, by `#define NAME value` or `@{define NAME, "value"}`; the last one wins. */
export function extractMacroDefinitions(prompt: string): Map<string, string> {
  const macros = new MacroContext()
  processPrompt(prompt, macros)
  return new Map(macros.entries())
}

/**
 * A prompt's active text: what its conditions leave standing, with its definitions carried out in `macros`.
 * Fenced code and `#define` lines are blanked: what a user pastes is data, and so is a macro's value.
 * `sourceOffset` leads back to the prompt.
 */
export function processPrompt(prompt: string, macros: MacroContext, source = 'prompt'): PreprocessorResult {
  const unfenced = blankFences(prompt)
  const definitions = [...unfenced.matchAll(defineLine)].map((match) => ({
    at: match.index,
    name: match[1] ?? '',
    value: (match[2] ?? '').trim(),
  }))
  const text = definitions.length === 0 ? unfenced : unfenced.replace(defineLine, blank)
  return new Preprocessor(macros).process(text, { source, definitions })
}

/** Fenced code as spaces of the same length, its line ends kept. */
export function blankFences(text: string): string {
  if (!text.includes('```') && !text.includes('~~~')) return text
  const inFence = fenceWalker(text)
  return text.replace(/[^\n]+/g, (line, at: number) => (inFence(at) ? blank(line) : line))
}

function blank(text: string): string {
  return ' '.repeat(text.length)
}
