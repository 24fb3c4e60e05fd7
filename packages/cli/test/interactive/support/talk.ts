import { fileURLToPath } from 'node:url'
import { spawn } from '@lydell/node-pty'
import { onTestFinished } from 'vitest'
import { makeFolder, mutsumi, nobody } from '../../support/command.js'
import { VirtualTerminal } from './virtual-terminal.js'

export interface TalkOptions {
  readonly columns?: number
  readonly rows?: number
  readonly env?: Readonly<Record<string, string>>
}

const keys: Readonly<Record<string, string>> = {
  enter: '\r',
  escape: '\u001b',
  up: '\u001b[A',
  down: '\u001b[B',
  left: '\u001b[D',
  right: '\u001b[C',
  tab: '\t',
  backspace: '\u007f',
  'alt+enter': '\u001b\r',
  'shift+tab': '\u001b[Z',
  'shift+enter': '\u001b[13;2u',
  'ctrl+c': '\u0003',
  'ctrl+d': '\u0004',
  'ctrl+g': '\u0007',
  'ctrl+l': '\u000c',
  'ctrl+o': '\u000f',
  'ctrl+r': '\u0012',
  'ctrl+s': '\u0013',
  'ctrl+u': '\u0015',
  'ctrl+v': '\u0016',
  'ctrl+z': '\u001a',
}

// The runner's own output beside the command's.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it says it where no terminal shows it.
const runnersWords = /\u001b\]7777;[^\u0007]*\u0007/g
const ended = /\]7777;ended=(\w+)/

const runner = fileURLToPath(new URL('run-in-terminal.cjs', import.meta.url))

/** The real command in a real terminal, with somebody at the keyboard. */
export class Talk {
  readonly terminal: VirtualTerminal
  /** Its exit code, after everything that it sent was read. */
  readonly ended: Promise<number>
  readonly #pty: ReturnType<typeof spawn>
  #received = ''
  #hasEnded = false
  #heard = (): void => undefined

  constructor(cwd: string, args: readonly string[], { columns = 80, rows = 24, env = {} }: TalkOptions = {}) {
    const config = env.MUTSUMI_CONFIG_DIR ?? makeFolder()
    this.terminal = new VirtualTerminal({ columns, rows })
    const { CI: _, NO_COLOR: __, ...own } = { ...nobody } as Record<string, string>
    this.#pty = spawn(process.execPath, [runner, mutsumi, ...args], {
      cwd,
      cols: columns,
      rows,
      name: env.TERM ?? 'xterm-256color',
      env: { ...own, LANG: 'C.UTF-8', LC_ALL: '', MUTSUMI_CONFIG_DIR: config, ...env },
    })
    this.terminal.onReply((text) => this.#pty.write(text))
    let end = (_: number): void => undefined
    this.ended = new Promise((resolve) => {
      end = resolve
    })
    this.#pty.onData((text) => {
      this.#received += text
      void this.terminal.write(text).then(() => {
        const code = ended.exec(this.#received)?.[1]
        this.#hasEnded = code !== undefined
        if (code !== undefined) end(Number(code))
        this.#heard()
      })
    })
    onTestFinished(() => this.#pty.kill('SIGKILL'))
  }

  /** Everything that the command has sent to the terminal. */
  get sent(): string {
    return this.#received.replace(runnersWords, '')
  }

  get pid(): number {
    return Number(/\]7777;pid=(\d+)/.exec(this.#received)?.[1])
  }

  /** `<name>` is a key, anything else is typed. */
  type(script: string): void {
    this.#pty.write(script.replace(/<([a-z+]+)>/g, (whole, name: string) => keys[name] ?? whole))
  }

  /** The terminal goes away, as when its window is closed or the connection is lost. */
  hangUp(): void {
    // The types of the package leave it out.
    ;(this.#pty as unknown as { destroy(): void }).destroy()
  }

  paste(text: string): void {
    this.#pty.write(`\u001b[200~${text.replaceAll('\n', '\r')}\u001b[201~`)
  }

  /** As long as a person needs to read a question. */
  read(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, 600))
  }

  /** Goes to the question that waits and answers it: with the first choice, unless the keys say otherwise. */
  async answer(keys = '<enter>'): Promise<void> {
    await this.until(() => this.screen.includes('Tab goes to this question'))
    await this.read()
    this.type('<tab>')
    await this.until(() => this.screen.includes('▸ 1. '))
    this.type(keys)
  }

  resize(columns: number, rows: number): void {
    this.terminal.resize(columns, rows)
    this.#pty.resize(columns, rows)
  }

  /** The whole of the terminal as text. */
  get text(): string {
    return this.terminal.lines.join('\n')
  }

  /** The rows of the screen, without empty ones at the end. */
  get screen(): string {
    return this.terminal.screen.join('\n').trimEnd()
  }

  /** Until the terminal shows something. The process may not end before. */
  async until(what: string | RegExp | (() => boolean), { withinMs = 30_000 } = {}): Promise<void> {
    const isThere = () =>
      typeof what === 'function'
        ? what()
        : typeof what === 'string'
          ? this.text.includes(what)
          : what.test(this.text)
    const deadline = performance.now() + withinMs
    while (!isThere()) {
      const left = deadline - performance.now()
      if (this.#hasEnded || left <= 0)
        throw new Error(
          `${this.#hasEnded ? 'the command ended' : 'waited in vain'} for ${what}:\n${this.text}`,
        )
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(left, 100))
        this.#heard = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
}
