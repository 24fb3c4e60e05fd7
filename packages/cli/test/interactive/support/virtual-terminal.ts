import { Terminal } from '@xterm/headless'

/** A terminal without a window: what it was sent, as a person would see it. */
export class VirtualTerminal {
  readonly #terminal: Terminal

  constructor({ columns = 80, rows = 24 }: { columns?: number; rows?: number } = {}) {
    this.#terminal = new Terminal({ cols: columns, rows, scrollback: 100_000, allowProposedApi: true })
    this.#terminal.unicode.register(modernWidths)
    this.#terminal.unicode.activeVersion = modernWidths.version
  }

  write(bytes: string): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(bytes, resolve))
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows)
  }

  /** Answers of the terminal itself, such as the place of its cursor. */
  onReply(hear: (text: string) => void): void {
    this.#terminal.onData(hear)
  }

  /** Everything from the beginning, rows that the terminal wrapped put together. Empty rows at the end are left out. */
  get lines(): string[] {
    const { active } = this.#terminal.buffer
    const lines: string[] = []
    for (let index = 0; index < active.length; index++) {
      const row = active.getLine(index)
      const isContinued = active.getLine(index + 1)?.isWrapped ?? false
      // A wide character that no longer fitted left the last cell empty.
      const isFull = row?.getCell(row.length - 1)?.getCode() !== 0
      const end = isContinued && row && !isFull ? row.length - 1 : undefined
      const text = row?.translateToString(!isContinued, 0, end) ?? ''
      if (row?.isWrapped) lines.push(`${lines.pop() ?? ''}${text}`)
      else lines.push(text)
    }
    while (lines.at(-1) === '') lines.pop()
    return lines
  }

  /** The rows of the screen now. */
  get screen(): string[] {
    const { active } = this.#terminal.buffer
    return Array.from(
      { length: this.#terminal.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
    )
  }

  get cursor(): { readonly row: number; readonly column: number } {
    const { active } = this.#terminal.buffer
    return { row: active.cursorY, column: active.cursorX }
  }

  /** Rows that scrolled out of the screen. */
  get scrolled(): number {
    return this.#terminal.buffer.active.baseY
  }

  /** The other screen, which full-screen programs use. */
  get isAlternate(): boolean {
    return this.#terminal.buffer.active.type === 'alternate'
  }
}

/** Joins emoji and counts them as two columns, as terminals of today do; xterm.js by itself is older. */
const modernWidths = {
  version: 'modern',
  wcwidth(code: number): 0 | 1 | 2 {
    const character = String.fromCodePoint(code)
    if (/\p{Mn}|\p{Me}|\p{Cf}|[\ufe00-\ufe0f\u{1f3fb}-\u{1f3ff}]/u.test(character)) return 0
    if (/\p{Emoji_Presentation}/u.test(character)) return 2
    return /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u.test(
      character,
    )
      ? 2
      : 1
  },
  /** 3 bits of result below the state: bit 0 joins, bits 1 and 2 are the width. State 1: the next one joins. */
  charProperties(code: number, preceding: number): number {
    const own = this.wcwidth(code)
    const before = (preceding >> 1) & 3
    const isJoined = preceding !== 0 && (own === 0 || preceding >> 3 === 1)
    const isJoiner = code === 0x200d
    const width = code === 0xfe0f ? 2 : isJoined ? Math.max(before, own) : own
    return ((isJoiner ? 1 : 0) << 3) | (width << 1) | (isJoined ? 1 : 0)
  },
}
