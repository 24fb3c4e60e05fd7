import { writeSync } from 'node:fs'
import { isatty, type ReadStream, type WriteStream } from 'node:tty'
import type { Abilities } from '../../terminal/abilities.js'
import type { Output } from './screen.js'
import { enterModes, leaveModes } from './terminal-modes.js'
import { titleSigns, untitled } from './window-signs.js'

export interface TerminalEvents {
  readonly data: (chunk: string) => void
  readonly resize: () => void
  /** The terminal was closed, or the connection to it is lost. */
  readonly gone: () => void
  /** Other code wrote to it: a warning of Node, a library. */
  readonly stray: (text: string) => void
}

/** The terminal while we own it: keys come one by one, and no other code writes to it. */
export class Terminal {
  readonly #input: ReadStream & { readonly fd: number }
  readonly #output: WriteStream
  readonly #abilities: Abilities
  readonly #events: TerminalEvents
  readonly #write: WriteStream['write']
  #released: (() => void)[] = []
  /** Undefined if the window has its own title. */
  #title: string | undefined

  constructor(
    { stdin, stdout }: { readonly stdin: ReadStream & { readonly fd: number }; readonly stdout: WriteStream },
    abilities: Abilities,
    events: TerminalEvents,
  ) {
    this.#input = stdin
    this.#output = stdout
    this.#abilities = abilities
    this.#events = events
    this.#write = stdout.write.bind(stdout)
  }

  /** Our own way to write to it. */
  get output(): Output {
    const stream = this.#output
    const write = this.#write
    return {
      get columns() {
        return stream.columns
      },
      get rows() {
        return stream.rows
      },
      write: (text) => write(text),
      once: (event, listener) => stream.once(event, listener),
      measure: () => measure(stream),
    }
  }

  /** It was closed while it belonged to another program, so no event has said so. */
  get isGone(): boolean {
    return !isatty(this.#input.fd)
  }

  /** Gives the window a title, until the terminal is given back. */
  entitle(text: string): void {
    this.#write(titleSigns(text, this.#abilities, { isFirst: this.#title === undefined }))
    this.#title = text
  }

  /** Takes the terminal over. */
  acquire(): void {
    const { data, resize, gone, stray } = this.#events
    this.#input.setRawMode(true)
    this.#input.setEncoding('utf8').on('data', data).on('end', gone).on('error', gone)
    this.#input.resume()
    this.#output.on('resize', resize)
    this.#write(enterModes(this.#abilities))
    const title = this.#title
    this.#title = undefined
    if (title !== undefined) this.entitle(title)
    // However the process ends, the shell gets its terminal back as it was.
    const restore = () => this.#restore()
    process.once('exit', restore)
    this.#released = [
      () => process.off('exit', restore),
      () => this.#input.off('data', data).off('end', gone).off('error', gone),
      () => this.#output.off('resize', resize),
      ...[this.#output, process.stderr].filter(({ isTTY }) => isTTY).map((stream) => caught(stream, stray)),
    ]
  }

  /** Gives it back: to another program for a while, or to the shell. */
  release(): void {
    for (const undo of this.#released.splice(0)) undo()
    this.#input.pause()
    this.#restore()
  }

  /** Writes directly, because the stream may have no time left to write. */
  #restore(): void {
    try {
      writeSync(1, (this.#title === undefined ? '' : untitled(this.#abilities)) + leaveModes(this.#abilities))
      this.#input.setRawMode(false)
    } catch {
      // The terminal is gone, so there is nothing to restore.
    }
  }
}

/** Does at once what Node does when the signal arrives, which may be some frames later. */
function measure(stream: WriteStream & { _refreshSize?: () => void }): void {
  try {
    stream._refreshSize?.()
  } catch {
    // The terminal is gone. The end of its input reports that too.
  }
}

/** Catches everything that other code writes to a stream. */
function caught(stream: NodeJS.WriteStream, hear: (text: string) => void): () => void {
  const before = stream.write
  stream.write = ((chunk: string | Uint8Array, encoding?: unknown, done?: unknown) => {
    hear(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'))
    const callback = typeof encoding === 'function' ? encoding : done
    if (typeof callback === 'function') process.nextTick(callback as () => void)
    return true
  }) as typeof stream.write
  return () => {
    stream.write = before
  }
}
