/** A message by the user. */
export interface Message {
  readonly text: string
  /** The text with labels instead of long pastes. */
  readonly shown: string
  /** It goes into the running round. Else it waits for the round's end. */
  readonly steers?: boolean
  /** It calls a user command, and the user was already asked for its parameters. */
  readonly isWhole?: boolean
}

/** Messages that were sent while a round runs. */
export class MessageQueue {
  #waiting: readonly Message[] = []
  /** Messages that the round has taken but not recorded yet. */
  #entering: readonly Message[] = []

  get all(): readonly Message[] {
    return [...this.#entering, ...this.#waiting]
  }

  add(message: Message): void {
    this.#waiting = [...this.#waiting, message]
  }

  /** Takes the messages that go into the round. */
  readonly takeSteering = (): readonly string[] => {
    const taken = this.#waiting.filter(({ steers }) => steers)
    this.#waiting = this.#waiting.filter(({ steers }) => !steers)
    this.#entering = [...this.#entering, ...taken]
    return taken.map(({ text }) => text)
  }

  /** The round has recorded the first message that it took. */
  entered(): Message | undefined {
    const [first, ...others] = this.#entering
    this.#entering = others
    return first
  }

  /** The round is over. Messages that did not get into it come first. */
  roundEnded(): void {
    const late = this.#waiting.filter(({ steers }) => steers)
    const queued = this.#waiting.filter(({ steers }) => !steers)
    this.#waiting = [...this.#entering, ...late, ...queued].map(({ steers: _, ...message }) => message)
    this.#entering = []
  }

  next(): Message | undefined {
    const [next, ...later] = this.#waiting
    this.#waiting = later
    return next
  }

  /** Takes back all messages that the round has not taken. */
  takeBack(): readonly Message[] {
    const all = this.#waiting
    this.#waiting = []
    return all
  }
}

/** Whether a text uses files, pictures or commands, which are only read when a round begins. */
export function needsRound(text: string): boolean {
  return /@\[|!\[|@\{|^[ \t]*#define\b|^\//m.test(text) || /^\s*!/.test(text)
}
