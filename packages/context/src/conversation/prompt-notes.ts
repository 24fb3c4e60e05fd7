import type { Warning } from '@mutsumi/schema'
import { displayText } from '../ground/error-text.js'
import { BracketScanner } from '../text/brackets.js'
import { fenceWalker } from '../text/fences.js'
import { LineIndex } from '../text/line-index.js'
import { parseReference } from '../text/reference.js'

/** Where something first is in a prompt, as it is written there, and how many more there are. */
interface Noticed {
  readonly at: number
  readonly shown: string
  more: number
}

/**
 * What a user may expect of a prompt and does not get: references in code fences and unclosed ones stay text, and
 * conditions cut nothing out, because a prompt is sent as typed. One warning of each kind, however many there are.
 */
export function promptNotes(prompt: string): Warning[] {
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
      (what) => `${what}: in a code fence, so sent as text; write it outside to bring the content in`,
    ),
    ...warning(
      'unclosed-reference',
      unclosed,
      (what) => `${what}: not closed by ] on its line, so sent as text`,
    ),
    ...warning(
      'prompt-condition',
      condition,
      (what) =>
        `${what}: a prompt is sent as typed; conditions only decide which #define lines and @[references] count. Put conditional text in a document and bring it in with @[document.md]`,
    ),
  ]
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

/** Code has `@[…]` of its own, such as the arrays of Objective-C: what no path holds is not one of ours. */
function fencedText(content: string | undefined): string | undefined {
  if (content === undefined) return undefined
  const { kind } = parseReference(content)
  const isOurs = kind === 'tool' || (kind === 'path' && !/[\s"'`,;()<>|@]/.test(content.trim()))
  return isOurs ? `@[${displayText(content)}]` : undefined
}

/** `@[` before a blank or nothing at all is not the beginning of a name. */
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
