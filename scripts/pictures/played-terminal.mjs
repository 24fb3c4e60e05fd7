// The real command in a real terminal, with keys that a script types.
import { fileURLToPath } from 'node:url'
import { spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { terminalSvg } from './terminal-svg.mjs'

const command = fileURLToPath(new URL('../../packages/cli/bin/mutsumi.cjs', import.meta.url))
const keys = {
  enter: '\r',
  escape: '\u001b',
  up: '\u001b[A',
  down: '\u001b[B',
  tab: '\t',
  'ctrl+o': '\u000f',
}

export class PlayedTerminal {
  #terminal
  #pty
  #size

  constructor({ folder, args = [], env = {}, columns = 96, rows = 40 }) {
    this.#size = { columns, rows }
    this.#terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true })
    this.#pty = spawn(process.execPath, [command, ...args], {
      cwd: folder,
      cols: columns,
      rows,
      name: 'xterm-256color',
      env: { PATH: process.env.PATH, COLORTERM: 'truecolor', LANG: 'C.UTF-8', ...env },
    })
    this.#terminal.onData((reply) => this.#pty.write(reply))
    this.#pty.onData((text) => this.#terminal.write(text))
  }

  /** `<name>` is a key, anything else is typed. */
  type(script) {
    this.#pty.write(script.replace(/<([a-z+]+)>/g, (whole, name) => keys[name] ?? whole))
  }

  get text() {
    const { active } = this.#terminal.buffer
    return Array.from({ length: active.length }, (_, row) =>
      active.getLine(row).translateToString(true),
    ).join('\n')
  }

  async until(wanted, withinMs = 60_000) {
    const started = Date.now()
    while (!wanted.test(this.text)) {
      if (Date.now() - started > withinMs) throw new Error(`${wanted} never appeared:\n${this.text}`)
      await pause(50)
    }
    // Waits until the rest of the screen is drawn too.
    await pause(400)
  }

  picture(title) {
    const { active } = this.#terminal.buffer
    const shown = (row) => active.getLine(row)?.translateToString(true).trim() !== ''
    let from = active.baseY
    let to = active.baseY + this.#size.rows
    while (to > from && !shown(to - 1)) to--
    while (from < to && !shown(from)) from++
    const cursor = { row: active.baseY + active.cursorY - from, column: active.cursorX }
    return terminalSvg(active, { columns: this.#size.columns, from, to, title, cursor })
  }

  close() {
    this.#pty.kill('SIGKILL')
  }
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
