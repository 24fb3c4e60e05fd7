/** The editor does not say that it gives up a save. Before it asks for the content it may, so that is awaited for less. */
const limits = { contentMs: 3_000, writingMs: 10_000 }

/**
 * Lets rounds, which append to a session's file, and the editor, which writes the whole file, take turns. Otherwise a record
 * that is appended between the editor's reading and writing would be lost.
 */
export class FileTurns {
  readonly #turns = new Map<string, Promise<unknown>>()
  readonly #saves = new Map<string, Save>()
  readonly #limits: typeof limits

  constructor(given = limits) {
    this.#limits = given
  }

  /** Works on a file after everything that was begun before. */
  run<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#turns.get(path) ?? Promise.resolve()
    const done = before.then(work)
    const over = () => {
      if (this.#turns.get(path) === turn) this.#turns.delete(path)
    }
    const turn: Promise<void> = done.then(over, over)
    this.#turns.set(path, turn)
    return done
  }

  /** The editor is about to save a file. Resolves when it is its turn, which lasts until `saved`. */
  async saving(path: string): Promise<void> {
    // An earlier save that has not ended was given up.
    this.saved(path)
    const save = new Save()
    this.#saves.set(path, save)
    void this.run(path, () => save.turn(this.#limits.contentMs))
    await save.isReady
  }

  /** Whether the editor is about to save a file. */
  isSaving(path: string): boolean {
    return this.#saves.has(path)
  }

  /** The editor asks for the content of a file. Waits for its turn, if it is about to save the file. */
  async asked(path: string): Promise<void> {
    const save = this.#saves.get(path)
    await save?.isReady
    save?.limit(this.#limits.writingMs)
  }

  /** The editor has saved a file. */
  saved(path: string): void {
    this.#saves.get(path)?.end()
    this.#saves.delete(path)
  }
}

/** A save from its announcement to its end. */
class Save {
  #begin: () => void = () => undefined
  #over: () => void = () => undefined
  #timer: NodeJS.Timeout | undefined
  #isOver = false
  readonly isReady = new Promise<void>((resolve) => {
    this.#begin = resolve
  })

  /** Its turn: lasts until the end, or until it is given up. */
  turn(longestMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#over = resolve
      this.#begin()
      if (this.#isOver) resolve()
      else this.limit(longestMs)
    })
  }

  limit(longestMs: number): void {
    clearTimeout(this.#timer)
    if (!this.#isOver) this.#timer = setTimeout(() => this.end(), longestMs)
  }

  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#over()
  }
}

/** The turns of all files in this window. */
export const fileTurns = new FileTurns()
