import type { Abilities } from '../../terminal/abilities.js'

const paste = { on: '\u001b[?2004h', off: '\u001b[?2004l' }
/** Kitty's protocol: unambiguous keys, and the key of the basic layout beside that of another one. */
const kitty = { on: '\u001b[>5u', off: '\u001b[<u' }
/** What xterm and tmux have instead. */
const otherKeys = { on: '\u001b[>4;1m', off: '\u001b[>4;0m' }

/** The sequences that make the terminal mark pastes and report keys exactly. */
export function enterModes({ keyboardProtocol }: Pick<Abilities, 'keyboardProtocol'>): string {
  return keyboardProtocol ? `${paste.on}${otherKeys.on}${kitty.on}` : paste.on
}

/** Everything as it was. */
export function leaveModes({ keyboardProtocol }: Pick<Abilities, 'keyboardProtocol'>): string {
  const keys = keyboardProtocol ? `${kitty.off}${otherKeys.off}` : ''
  return `${keys}${paste.off}\u001b[?7h\u001b[?25h`
}
