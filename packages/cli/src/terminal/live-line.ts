import { safeLine } from '@mutsumi/schema'

/** The operation that is awaited; `detail` is its newest message. */
export interface Waiting {
  readonly what: string
  readonly since: number
  readonly detail?: string
  /** When it is tried again: the seconds until then are shown, at once, and then the seconds since. */
  readonly until?: number
}

const afterMs = 1000

/**
 * One line at the bottom of a terminal that says what is awaited and for how long, shown after one second. It is
 * erased before anything else is printed. If standard error is not a terminal, there is none.
 */
export class LiveLine {
  readonly #waiting: () => Waiting | undefined
  readonly #timer: NodeJS.Timeout | undefined
  #shown = ''

  constructor(waiting: () => Waiting | undefined) {
    this.#waiting = waiting
    if (!process.stderr.isTTY || process.env.TERM === 'dumb') return
    this.#timer = setInterval(() => this.#draw(), 250).unref()
    process.once('exit', this.erase)
  }

  /** Whether it can be shown here. */
  get isShown(): boolean {
    return this.#timer !== undefined
  }

  /** It reappears by itself while something is awaited. */
  erase = (): void => {
    if (this.#shown === '') return
    process.stderr.write(eraseLine)
    this.#shown = ''
  }

  stop(): void {
    this.erase()
    clearInterval(this.#timer)
    process.off('exit', this.erase)
  }

  #draw(): void {
    const waiting = this.#waiting()
    if (waiting === undefined || isTooEarly(waiting)) return this.erase()
    const line = cut(lineOf(waiting, performance.now()), (process.stderr.columns || 80) - 1)
    if (line === this.#shown) return
    this.erase()
    process.stderr.write(line)
    this.#shown = line
  }
}

const eraseLine = '\r\u001b[2K'

function isTooEarly({ since, until }: Waiting): boolean {
  return until === undefined && performance.now() - since < afterMs
}

function lineOf({ what, since, detail = '', until }: Waiting, now: number): string {
  const isBefore = until !== undefined && now < until
  const seconds = isBefore ? Math.ceil((until - now) / 1000) : Math.floor((now - (until ?? since)) / 1000)
  return `… ${safeLine(what)} (${seconds} s)${detail === '' ? '' : `: ${safeLine(detail)}`}`
}

/**
 * Never wider than the terminal, because erasing would leave its first half. Every non-ASCII character counts as wide.
 */
function cut(line: string, columns: number): string {
  let width = 0
  let end = 0
  for (const character of line) {
    width += character < '\u007f' ? 1 : 2
    if (width > columns) break
    end += character.length
  }
  return line.slice(0, end)
}
