/** What a terminal can do, as far as its environment tells. */
export interface Abilities {
  readonly color: boolean
  /** Addresses that can be clicked. */
  readonly links: boolean
  /** It can be told to report Shift+Enter and a lone Esc as such. */
  readonly keyboardProtocol: boolean
  /** Lines that became too long when it was made narrower are wrapped anew. */
  readonly reflow: boolean
  /** It may take a text into the clipboard of the person in front of it (OSC 52). */
  readonly clipboard: boolean
  /** It can move the cursor. Where it cannot, lines are all there is. */
  readonly addressable: boolean
}

export function abilitiesOf(environment: Readonly<Record<string, string | undefined>>): Abilities {
  const { TERM = '', NO_COLOR = '', XTERM_VERSION, STY, TERM_PROGRAM } = environment
  const isConsole = TERM === 'linux' || TERM.startsWith('vt')
  return {
    color: NO_COLOR === '',
    links: !isConsole && STY === undefined,
    // The Linux console takes an unknown sequence that ends in `u` for "go back to the saved place".
    keyboardProtocol: !isConsole,
    reflow: XTERM_VERSION === undefined && STY === undefined && !isConsole,
    // Apple's terminal shows nothing of it, and takes nothing either.
    clipboard: !isConsole && TERM_PROGRAM !== 'Apple_Terminal',
    addressable: TERM !== 'dumb' && TERM !== '',
  }
}
