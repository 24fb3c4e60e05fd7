import { safeLine } from '@mutsumi/schema'

/** What is waited for; `detail` is its newest word. */
export interface Waiting {
  readonly what: string
  readonly since: number
  readonly detail?: string
}

const afterMs = 1000

/**
 * One line at the bottom of a terminal that says what is waited for and for how long, from the first second on. It is
 * erased before anything else is printed. Where standard error is no terminal there is none.
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

  /** It comes back by itself, as long as there is something to wait for. */
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
    if (waiting === undefined || performance.now() - waiting.since < afterMs) return this.erase()
    const line = cut(lineOf(waiting, performance.now()), (process.stderr.columns || 80) - 1)
    if (line === this.#shown) return
    this.erase()
    process.stderr.write(line)
    this.#shown = line
  }
}

const eraseLine = '\r\u001b[2K'

function lineOf({ what, since, detail = '' }: Waiting, now: number): string {
  const seconds = Math.floor((now - since) / 1000)
  return `… ${safeLine(what)} (${seconds} s)${detail === '' ? '' : `: ${safeLine(detail)}`}`
}

/** Never longer than the terminal is wide, or erasing it would leave its first half: whatever is not ASCII may be wide. */
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
