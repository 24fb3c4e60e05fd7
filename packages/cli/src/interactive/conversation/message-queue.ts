/** A message of the user's. */
export interface Message {
  readonly text: string
  /** With labels in the places of long pastes. */
  readonly shown: string
  /** It goes into the running round; else it waits for the round's end. */
  readonly steers?: boolean
  /** It calls a command of the user's own, whose parameters were asked for. */
  readonly isWhole?: boolean
}

/** Messages that were sent while a round runs. */
export class MessageQueue {
  #waiting: readonly Message[] = []
  /** Handed to the round, which has not said yet that they are recorded. */
  #entering: readonly Message[] = []

  get all(): readonly Message[] {
    return [...this.#entering, ...this.#waiting]
  }

  add(message: Message): void {
    this.#waiting = [...this.#waiting, message]
  }

  /** Hands over what goes into the round. */
  readonly takeSteering = (): readonly string[] => {
    const taken = this.#waiting.filter(({ steers }) => steers)
    this.#waiting = this.#waiting.filter(({ steers }) => !steers)
    this.#entering = [...this.#entering, ...taken]
    return taken.map(({ text }) => text)
  }

  /** The round has recorded the message that it took first. */
  entered(): Message | undefined {
    const [first, ...others] = this.#entering
    this.#entering = others
    return first
  }

  /** The round is over: whatever did not get into it comes first. */
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

  /** Takes back all that the round does not have. */
  takeBack(): readonly Message[] {
    const all = this.#waiting
    this.#waiting = []
    return all
  }
}

/** Whether a text asks for more than words: files, pictures and commands are read when a round begins. */
export function needsRound(text: string): boolean {
  return /@\[|!\[|@\{|^[ \t]*#define\b|^\//m.test(text)
}
