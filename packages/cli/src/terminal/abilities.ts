/** The abilities of a terminal, from its environment. */
export interface Abilities {
  readonly color: boolean
  /** Addresses that can be clicked. */
  readonly links: boolean
  /** It can report Shift+Enter and a lone Esc. */
  readonly keyboardProtocol: boolean
  /** It rewraps long lines when it becomes narrower. */
  readonly reflow: boolean
  /** It may take a text into the clipboard of the person in front of it (OSC 52). */
  readonly clipboard: boolean
  /** It can move the cursor. Otherwise only plain lines are possible. */
  readonly addressable: boolean
}

export function abilitiesOf(environment: Readonly<Record<string, string | undefined>>): Abilities {
  const { TERM = '', NO_COLOR = '', XTERM_VERSION, STY, TERM_PROGRAM } = environment
  const isConsole = TERM === 'linux' || TERM.startsWith('vt')
  return {
    color: NO_COLOR === '',
    links: !isConsole && STY === undefined,
    // The Linux console reads an unknown sequence that ends in `u` as "restore the saved cursor position".
    keyboardProtocol: !isConsole,
    reflow: XTERM_VERSION === undefined && STY === undefined && !isConsole,
    // Apple's terminal shows nothing of it, and takes nothing either.
    clipboard: !isConsole && TERM_PROGRAM !== 'Apple_Terminal',
    addressable: TERM !== 'dumb' && TERM !== '',
  }
}
