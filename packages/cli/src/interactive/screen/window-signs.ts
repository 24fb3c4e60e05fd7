import type { Abilities } from '../../terminal/abilities.js'
import { visibleLine } from '../text/visible-text.js'

type SignAbilities = Pick<Abilities, 'title' | 'notices' | 'multiplexer'>

/** Longer titles and notifications are cut by the system anyway. */
const longest = 200

/** Gives the window a title. The first one also keeps the title that the window had. */
export function titleSigns(
  text: string,
  { title }: SignAbilities,
  { isFirst }: { readonly isFirst: boolean },
): string {
  if (!title) return ''
  return `${isFirst ? '\u001b[22;2t' : ''}\u001b]2;${plainText(text)}\u0007`
}

/** Gives the window its own title back. Terminals that keep none begin a new one for an empty title. */
export function untitled({ title }: SignAbilities): string {
  return title ? '\u001b]2;\u0007\u001b[23;2t' : ''
}

/** Rings the bell, and shows a notification if the terminal can. */
export function noticeSigns(text: string, { notices, multiplexer }: SignAbilities): string {
  const bell = '\u0007'
  switch (notices) {
    case 'none':
      return bell
    case 'osc9':
      return bell + passed(`\u001b]9;${plainText(text)}\u0007`, multiplexer)
    case 'osc777':
      return (
        bell + passed(`\u001b]777;notify;Mutsumi;${plainText(text).replaceAll(';', ',')}\u0007`, multiplexer)
      )
    default:
      return notices satisfies never
  }
}

/** No text can end the sequence that it is part of. */
function plainText(text: string): string {
  return visibleLine(text).slice(0, longest)
}

/** tmux passes a sequence on to its own terminal only if it is wrapped, and only if its user allows that. */
function passed(sequence: string, multiplexer: SignAbilities['multiplexer']): string {
  return multiplexer === 'tmux'
    ? `\u001bPtmux;${sequence.replaceAll('\u001b', '\u001b\u001b')}\u001b\\`
    : sequence
}
