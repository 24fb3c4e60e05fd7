import type { Warning } from '@mutsumi/schema'
import type { MacroContext } from '../documents/macro-context.js'
import { displayText } from '../ground/error-text.js'
import { warningWords } from '../ground/warning-words.js'
import { BracketScanner } from '../text/brackets.js'
import { codeSpanWalker } from '../text/code-spans.js'
import { fenceWalker } from '../text/fences.js'
import { LineIndex } from '../text/line-index.js'
import { parseReference } from '../text/reference.js'

/** The first place of something in a prompt, how it is written there, and how many more there are. */
interface Noticed {
  readonly at: number
  readonly shown: string
  more: number
}

/**
 * Warns about things in a prompt that have no effect: references in code fences and unclosed ones stay text, conditions
 * remove nothing, because a prompt is sent as typed, and macros may have no value. At most one warning of each kind, and
 * one for each of the first macros.
 */
export function promptNotes(prompt: string, macros: Pick<MacroContext, 'isDefined'>): Warning[] {
  const { fenced, unclosed } = lostReferences(prompt)
  const condition = firstCondition(prompt)
  const lines = new LineIndex(prompt)
  const warning = (code: string, found: Noticed | undefined, tell: (what: string) => string): Warning[] => {
    if (!found) return []
    const what = found.more === 0 ? found.shown : `${found.shown} and ${found.more} more`
    return [{ code, message: tell(what), source: 'prompt', ...lines.locate(found.at) }]
  }
  return [
    ...warning(
      'reference-in-fence',
      fenced,
      (what) =>
        `${what}: inside a code fence, so sent as text; write it outside the fence to include the content`,
    ),
    ...warning(
      'unclosed-reference',
      unclosed,
      (what) => `${what}: no closing ] on the same line, so sent as text`,
    ),
    ...warning(
      'prompt-condition',
      condition,
      (what) =>
        `${what}: a prompt is sent as typed; conditions only decide which #define lines and @[references] count. Put conditional text in a document and include it with @[document.md]`,
    ),
    ...unknownMacros(prompt, macros).map(({ name, at }) => ({
      ...{ code: 'unknown-macro', ...warningWords('prompt-unknown-macro', name), source: 'prompt' },
      ...lines.locate(at),
    })),
  ]
}

const macroUse = /\{\{[ \t]*([A-Za-z_]\w*)[ \t]*\}\}/dg
/** The value of a definition is not scanned. */
const definition = /^[ \t]*#define[ \t][^\n]*|@\{[ \t]*define[ \t][^\n]{0,500}?\}(?!\})/gm
const namedMacros = 5

interface UnknownMacro {
  readonly name: string
  readonly at: number
}

/** Macros without a value, each once. Code has such braces too, and references have warnings of their own. */
function unknownMacros(prompt: string, macros: Pick<MacroContext, 'isDefined'>): readonly UnknownMacro[] {
  if (!prompt.includes('{{')) return []
  const text = prompt.replace(definition, (written) => ' '.repeat(written.length))
  const inFence = fenceWalker(text)
  const inCode = codeSpanWalker(text)
  const inReference = referenceWalker(text)
  const found = new Map<string, UnknownMacro>()
  for (const { 1: name = '', indices, index } of text.matchAll(macroUse)) {
    const isText = ![inFence(index), inCode(index), inReference(index)].includes(true)
    if (isText && !macros.isDefined(name) && !found.has(name))
      found.set(name, { name, at: indices?.[1]?.[0] ?? index })
  }
  return [...found.values()].slice(0, namedMacros)
}

/** Says whether an offset is in a reference. Ask with ascending offsets. */
function referenceWalker(text: string): (offset: number) => boolean {
  const scanner = new BracketScanner(text)
  let start = text.indexOf('@[')
  let end = -1
  return (offset) => {
    while (start !== -1 && start < offset) {
      end = scanner.at(start)?.end ?? end
      start = text.indexOf('@[', Math.max(end, start + 2))
    }
    return offset < end
  }
}

function lostReferences(prompt: string): { fenced?: Noticed; unclosed?: Noticed } {
  const scanner = new BracketScanner(prompt)
  const inFence = fenceWalker(prompt)
  const found: { fenced?: Noticed; unclosed?: Noticed } = {}
  for (let at = prompt.indexOf('@['); at !== -1; ) {
    const bracket = scanner.at(at)
    const kind = inFence(at) ? 'fenced' : 'unclosed'
    const shown =
      kind === 'fenced' ? fencedText(bracket?.content) : bracket ? undefined : unclosedText(prompt, at)
    const known = found[kind]
    if (shown !== undefined && known) known.more++
    else if (shown !== undefined) found[kind] = { at, shown, more: 0 }
    at = prompt.indexOf('@[', bracket?.end ?? at + 2)
  }
  return found
}

/** Other languages use `@[…]` too, such as Objective-C for arrays. Text that cannot be a path is not a reference. */
function fencedText(content: string | undefined): string | undefined {
  if (content === undefined) return undefined
  const { kind } = parseReference(content)
  const isOurs = kind === 'tool' || (kind === 'path' && !/[\s"'`,;()<>|@]/.test(content.trim()))
  return isOurs ? `@[${displayText(content)}]` : undefined
}

/** `@[` before a blank or the end of the text does not begin a name. */
function unclosedText(prompt: string, at: number): string | undefined {
  const [word = ''] = /^[^\s]{0,80}/.exec(prompt.slice(at, at + 82)) ?? []
  return word.length > 2 && word !== '@[]' ? displayText(word) : undefined
}

const condition = /@\{(?:if|ifdef|ifndef)(?=[\s}])/g

function firstCondition(prompt: string): Noticed | undefined {
  const inFence = fenceWalker(prompt)
  for (const { 0: command, index } of prompt.matchAll(condition))
    if (!inFence(index)) return { at: index, shown: `${command}…}`, more: 0 }
  return undefined
}
