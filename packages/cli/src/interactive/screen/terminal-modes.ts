import type { Abilities } from '../../terminal/abilities.js'

const paste = { on: '\u001b[?2004h', off: '\u001b[?2004l' }
/** Kitty's protocol: unambiguous keys, each with its key on the basic layout. */
const kitty = { on: '\u001b[>5u', off: '\u001b[<u' }
/** The same for xterm and tmux, which have another protocol. */
const otherKeys = { on: '\u001b[>4;1m', off: '\u001b[>4;0m' }

/** The sequences that make the terminal mark pastes and report keys exactly. */
export function enterModes({ keyboardProtocol }: Pick<Abilities, 'keyboardProtocol'>): string {
  return keyboardProtocol ? `${paste.on}${otherKeys.on}${kitty.on}` : paste.on
}

/** The sequences that restore the terminal. */
export function leaveModes({ keyboardProtocol }: Pick<Abilities, 'keyboardProtocol'>): string {
  const keys = keyboardProtocol ? `${kitty.off}${otherKeys.off}` : ''
  return `${keys}${paste.off}\u001b[?7h\u001b[?25h`
}
