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
  /** Its window has a title that we may change, and that comes back. */
  readonly title: boolean
  /** How it shows a notification of the system, if at all. */
  readonly notices: 'osc9' | 'osc777' | 'none'
  /** The program between us and the terminal that keeps what it does not know to itself. */
  readonly multiplexer: 'tmux' | 'none'
  /** It can move the cursor. Otherwise only plain lines are possible. */
  readonly addressable: boolean
}

export function abilitiesOf(environment: Readonly<Record<string, string | undefined>>): Abilities {
  const { TERM = '', NO_COLOR = '', XTERM_VERSION, STY, TERM_PROGRAM, TMUX, VTE_VERSION } = environment
  const isConsole = TERM === 'linux' || TERM.startsWith('vt')
  return {
    color: NO_COLOR === '',
    links: !isConsole && STY === undefined,
    // The Linux console reads an unknown sequence that ends in `u` as "restore the saved cursor position".
    keyboardProtocol: !isConsole,
    reflow: XTERM_VERSION === undefined && STY === undefined && !isConsole,
    // Apple's terminal shows nothing of it, and takes nothing either.
    clipboard: !isConsole && TERM_PROGRAM !== 'Apple_Terminal',
    title: !isConsole && STY === undefined,
    notices: isConsole || STY !== undefined ? 'none' : isOf777(TERM, VTE_VERSION) ? 'osc777' : 'osc9',
    multiplexer: TMUX === undefined ? 'none' : 'tmux',
    addressable: TERM !== 'dumb' && TERM !== '',
  }
}

/** GNOME's and its relatives, foot and rxvt know only this one. Others know OSC 9 or neither, and show nothing of it. */
function isOf777(term: string, vte: string | undefined): boolean {
  return vte !== undefined || term.startsWith('foot') || term.startsWith('rxvt')
}
