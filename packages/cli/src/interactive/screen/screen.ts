import type { Line } from '../text/span.js'
import { erased, type Frame, frame, nothingShown, type Picture, type Shown, type Size } from './frame.js'
import { type Look, paintRow, type Row } from './paint.js'

/** The part of a terminal's stream that is written to. */
export interface Output {
  readonly columns?: number
  readonly rows?: number
  write(text: string): boolean
  once(event: 'drain', listener: () => void): unknown
  /** Asks the terminal for its size now. The system may say only later that it changed. */
  measure?(): void
}

export interface ScreenOptions {
  readonly output: Output
  readonly look: Look
  readonly reflow: boolean
  /** The live region as it should be now. Called once per frame. */
  readonly picture: (size: Size) => Picture
  /** Milliseconds of some clock. */
  readonly now?: () => number
}

/** Some 30 frames a second. Nobody reads streamed text faster, and a key is drawn at once anyway. */
const frameMs = 33
/** A terminal may take so long to show a frame. */
const onItsWayMs = 20
/** One frame takes at most so much of the finished lines, so that a key is answered between two frames. */
const frameCharacters = 32_768

/**
 * Writes frames: at once after a key, else when the last one is old enough, and never while the terminal has not taken
 * the last one. Nothing runs while nothing changes.
 */
export class Screen {
  readonly #options: ScreenOptions
  #shown: Shown = nothingShown
  #finished: Row[] = []
  #timer: NodeJS.Timeout | undefined
  #drawnAt = Number.NEGATIVE_INFINITY
  /** The time of the last write. */
  #sentAt = Number.NEGATIVE_INFINITY
  /** The size of the terminal when the last frame was drawn. */
  #sizeShown: Size | undefined
  #isBlocked = false
  #isDirty = false
  #isPaused = false

  constructor(options: ScreenOptions) {
    this.#options = options
  }

  #now(): number {
    return this.#options.now?.() ?? performance.now()
  }

  get size(): Size {
    const { columns, rows } = this.#options.output
    // If a terminal reports no size, or 0, we assume 80 columns and 24 rows.
    return { columns: columns || 80, rows: rows || 24 }
  }

  /** The terminal has taken everything that was printed. */
  get isCaughtUp(): boolean {
    return this.#finished.length === 0 && !this.#isBlocked
  }

  /** Prints finished lines, which go to the scrollback. */
  print(lines: readonly Line[]): void {
    for (const line of lines) this.#finished.push(paintRow(line, this.#options.look))
    if (lines.length > 0) this.changed()
  }

  /** Something changed. Draws it soon. */
  changed(): void {
    this.#isDirty = true
    if (this.#timer !== undefined || this.#isBlocked || this.#isPaused) return
    const waited = this.#now() - this.#drawnAt
    this.#timer = setTimeout(() => this.draw(), Math.max(0, frameMs - waited))
  }

  /** Draws at once, because a person pressed a key. */
  draw(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isDirty = true
    if (this.#isBlocked || this.#isPaused) return
    // A frame for another size would overwrite finished lines.
    if (this.#isOfAnotherSize()) return this.resized()
    this.#isDirty = false
    const finished = this.#take()
    const { size } = this
    this.#send(frame(this.#shown, { finished, picture: this.#options.picture(size), size }))
    if (this.#finished.length > 0) this.changed()
  }

  /** The terminal has another size. Erases the region, which the terminal may have rearranged, and draws it anew. */
  resized(): void {
    if (this.#isPaused) return
    // If the last frame came after the change, its rows were cut and not wrapped. Then a row too many may stay, but no
    // finished line is erased.
    const isOnItsWay = this.#now() - this.#sentAt < onItsWayMs
    this.#sizeShown = this.size
    this.#send(erased(this.#shown, this.size, { reflow: this.#options.reflow && !isOnItsWay }))
    this.draw()
  }

  #isOfAnotherSize(): boolean {
    // The listener for size changes may have drawn already.
    this.#options.output.measure?.()
    const before = this.#sizeShown
    const { columns, rows } = this.size
    this.#sizeShown = { columns, rows }
    return before !== undefined && (before.columns !== columns || before.rows !== rows)
  }

  /** Draws everything, then removes the region, because another program takes the terminal. */
  pause(): void {
    // Nothing can be drawn while it is paused. The lines that wait would never become fewer.
    if (this.#isPaused) return
    do {
      this.#isBlocked = false
      this.draw()
    } while (this.#finished.length > 0)
    this.#send(erased(this.#shown, this.size, { reflow: false }))
    this.#isPaused = true
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** The terminal is ours again, its cursor on a line of its own. */
  resume(): void {
    this.#isPaused = false
    this.#shown = nothingShown
    this.draw()
  }

  #take(): readonly Row[] {
    let count = 0
    let length = 0
    while (count < this.#finished.length && length < frameCharacters)
      length += this.#finished[count++]?.text.length ?? 0
    return this.#finished.splice(0, count)
  }

  #send({ bytes, shown }: Frame): void {
    this.#shown = shown
    this.#drawnAt = this.#now()
    if (bytes !== '') this.#sentAt = this.#drawnAt
    if (bytes === '' || this.#options.output.write(bytes)) return
    this.#isBlocked = true
    this.#options.output.once('drain', () => {
      this.#isBlocked = false
      if (this.#isDirty || this.#finished.length > 0) this.changed()
    })
  }
}
