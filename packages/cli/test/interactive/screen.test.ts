import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import {
  erased,
  frame,
  nothingShown,
  type Picture,
  type Shown,
  type Size,
} from '../../src/interactive/screen/frame.js'
import { paintRow } from '../../src/interactive/screen/paint.js'
import { Screen } from '../../src/interactive/screen/screen.js'
import { visibleLine } from '../../src/interactive/text/visible-text.js'
import { abilitiesOf } from '../../src/terminal/abilities.js'
import { VirtualTerminal } from './support/virtual-terminal.js'

const look = { color: true, links: true }
const row = (text: string) => paintRow([{ text }], look)

/** A terminal, and what is shown on it frame by frame. */
function stage(size: Size) {
  const terminal = new VirtualTerminal(size)
  let shown: Shown = nothingShown
  const sent: string[] = []
  return {
    terminal,
    sent,
    async show(finished: readonly string[], live: readonly string[], cursor?: Picture['cursor'], at = size) {
      const picture = { rows: live.map(row), ...(cursor && { cursor }) }
      const next = frame(shown, { finished: finished.map(row), picture, size: at })
      shown = next.shown
      sent.push(next.bytes)
      await terminal.write(next.bytes)
    },
    async resize(to: Size, options = { reflow: true }) {
      terminal.resize(to.columns, to.rows)
      const next = erased(shown, to, options)
      shown = next.shown
      await terminal.write(next.bytes)
    },
  }
}

const word = fc.constantFrom('a', 'bb', 'ccc ', '中文', '😀', 'é', 'e\u0301', '👨‍👩‍👧', '…', '0123456789')
const text = fc.array(word, { maxLength: 30 }).map((words) => visibleLine(words.join('')).trimEnd())
const narrow = fc.array(word, { maxLength: 3 }).map((words) => words.join('').trimEnd())
const step = fc.record({
  finished: fc.array(text, { maxLength: 6 }),
  live: fc.array(narrow, { minLength: 1, maxLength: 7 }),
  cursor: fc.nat({ max: 6 }),
})

test('H1 whatever the frames are, the scrollback contains every finished line once, with the live region below', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 12 }),
      fc.integer({ min: 30, max: 60 }),
      async (steps, columns) => {
        const { terminal, show } = stage({ columns, rows: 9 })
        const finished: string[] = []
        for (const each of steps) {
          const at = each.cursor % each.live.length
          const cursor = { row: at, column: 0 }
          await show(each.finished, each.live, cursor)
          finished.push(...each.finished)
          const all = [...finished, ...each.live]
          while (all.at(-1) === '') all.pop()
          expect(terminal.lines).toEqual(all)
          // Rows of the screen: the scrollback may be wrapped, the region is not.
          const cursorRow = terminal.screen[terminal.cursor.row]
          expect(cursorRow).toBe(each.live[at])
        }
      },
    ),
    { numRuns: runs(60) },
  )
})

test('H1 the screen and the scrollback are never cleared, no region scrolls by itself, no other screen is opened', async () => {
  const { terminal, show, sent } = stage({ columns: 40, rows: 10 })
  for (let number = 0; number < 50; number++)
    await show([`line ${number}`, 'x'.repeat(number * 3)], [`row ${number}`, 'status'], { row: 0, column: 2 })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  expect(sent.join('')).not.toMatch(/\u001b\[[23]J|\u001b\[[\d;]*r|\u001b\[\?(?:1049|47|1047)|\u001bc/)
  expect(terminal.isAlternate).toBe(false)
  expect(terminal.lines.filter((line) => line.startsWith('line'))).toHaveLength(50)
})

test('H1 only changed rows are sent, and nothing if nothing changed', async () => {
  const { show, sent } = stage({ columns: 40, rows: 10 })
  await show([], ['one', 'two', 'three'], { row: 1, column: 0 })
  await show([], ['one', 'TWO', 'three'], { row: 1, column: 3 })
  await show([], ['one', 'TWO', 'three'], { row: 1, column: 3 })
  expect(sent[1]).toContain('TWO')
  expect(sent[1]).not.toMatch(/one|three/)
  expect(sent[2]).toBe('')
})

test('H1 every frame is one synchronized update, and the cursor is where the input is', async () => {
  const { terminal, show, sent } = stage({ columns: 40, rows: 10 })
  await show(['done'], ['working', '› hello', 'status'], { row: 1, column: 7 })
  expect(sent[0]?.startsWith('\u001b[?2026h')).toBe(true)
  expect(sent[0]?.endsWith('\u001b[?2026l')).toBe(true)
  expect(terminal.cursor).toEqual({ row: 2, column: 7 })
  await show([], ['working', '› hello', 'status'], { row: 1, column: 4 })
  expect(terminal.cursor).toEqual({ row: 2, column: 4 })
})

test('H1 if a terminal may measure a text differently, the cursor is placed by writing the text', async () => {
  const { terminal, show } = stage({ columns: 40, rows: 10 })
  const before = row('› 👨‍👩‍👧')
  await show([], ['› 👨‍👩‍👧 family'], { row: 0, column: 30, before })
  expect(terminal.cursor).toEqual({ row: 0, column: 4 })
})

test('H1 a region higher than the screen shows its end', async () => {
  const { terminal, show } = stage({ columns: 40, rows: 5 })
  const rows = Array.from({ length: 20 }, (_, index) => `row ${index}`)
  await show(['before'], rows, { row: 19, column: 1 })
  expect(terminal.lines).toEqual(['before', ...rows.slice(-4)])
})

test('H1 a narrower or wider terminal shows the region once, and keeps finished lines', async () => {
  for (const columns of [40, 30, 79, 120]) {
    const { terminal, show, resize } = stage({ columns: 80, rows: 12 })
    const live = ['tail '.repeat(15).trimEnd(), 'more '.repeat(12).trimEnd(), '› input', 'status']
    await show(['one', 'two', 'three'], live, { row: 2, column: 3 })
    await resize({ columns, rows: 12 })
    const cut = live.map((each) => each.slice(0, columns))
    await show([], cut, { row: 2, column: 3 }, { columns, rows: 12 })
    expect(terminal.lines.map((each) => each.trimEnd())).toEqual([
      ...['one', 'two', 'three'],
      ...cut.map((each) => each.trimEnd()),
    ])
  }
})

/** A screen on a terminal that shows what it is sent when the test lets it. */
function slowScreen(size: Size, status: string) {
  const terminal = new VirtualTerminal(size)
  const waiting: string[] = []
  let announced: Size = size
  let real: Size = size
  let time = 0
  const output = {
    get columns() {
      return announced.columns
    },
    get rows() {
      return announced.rows
    },
    write: (text: string) => waiting.push(text) > 0,
    once: () => undefined,
    measure: () => {
      announced = real
    },
  }
  const rows = [row(status), row('› input')]
  const screen = new Screen({
    output,
    look,
    reflow: true,
    now: () => time,
    picture: ({ columns }) => ({
      rows: rows.map((each) => row(each.text.slice(0, columns))),
      cursor: { row: 1, column: 2 },
    }),
  })
  return {
    terminal,
    screen,
    deliver: () => terminal.write(waiting.splice(0).join('')),
    wait: (ms: number) => {
      time += ms
    },
    resize: (to: Size) => {
      terminal.resize(to.columns, to.rows)
      real = to
    },
    /** The system says that the size changed. */
    announce: () => {
      announced = real
      screen.resized()
    },
    print: (...lines: readonly string[]) => {
      screen.print(lines.map((text) => [{ text }]))
      screen.draw()
    },
  }
}

test('H1 a frame that was being sent when the terminal became narrower loses no finished line', async () => {
  const { terminal, deliver, resize, announce, print } = slowScreen({ columns: 80, rows: 12 }, 's'.repeat(75))
  print('one', 'two', 'three')
  await deliver()
  print('four')
  resize({ columns: 30, rows: 12 })
  await deliver()
  announce()
  print('five')
  await deliver()
  const kept = terminal.screen.filter((line) => /^(?:one|two|three|four|five)$/.test(line))
  expect(kept).toEqual(['one', 'two', 'three', 'four', 'five'])
})

test('H1 a terminal’s size is read before each frame, because the system may report a change later', async () => {
  const { terminal, deliver, resize, print, wait } = slowScreen({ columns: 80, rows: 12 }, 's'.repeat(75))
  print('one', 'two', 'three')
  await deliver()
  wait(50)
  resize({ columns: 30, rows: 12 })
  print('four')
  await deliver()
  expect(terminal.lines.map((line) => line.trimEnd())).toEqual([
    ...['one', 'two', 'three', 'four'],
    ...['s'.repeat(30), '› input'],
  ])
})

test('H1 colours follow NO_COLOR, and only addresses of the web can be clicked', () => {
  const line = [
    { text: 'red', style: { color: 'red', bold: true } as const },
    { text: 'here', href: 'https://example.org/a' },
    { text: 'there', href: 'file:///etc/passwd' },
    { text: 'bad', href: 'https://x/\u001b\\' },
  ]
  expect(paintRow(line, look).text).toBe(
    '\u001b[1;31mred\u001b[0m\u001b]8;;https://example.org/a\u001b\\here\u001b]8;;\u001b\\therebad',
  )
  expect(paintRow(line, { color: false, links: false }).text).toBe('\u001b[1mred\u001b[0mheretherebad')
})

test('H1 a terminal’s abilities are read from its environment', () => {
  expect(abilitiesOf({ TERM: 'xterm-256color' })).toEqual({
    color: true,
    links: true,
    keyboardProtocol: true,
    reflow: true,
    clipboard: true,
    title: true,
    notices: 'osc9',
    multiplexer: 'none',
    addressable: true,
  })
  expect(abilitiesOf({ TERM: 'linux' })).toMatchObject({ title: false, notices: 'none' })
  expect(abilitiesOf({ TERM: 'xterm-256color', VTE_VERSION: '7600' }).notices).toBe('osc777')
  expect(abilitiesOf({ TERM: 'linux' }).clipboard).toBe(false)
  expect(abilitiesOf({ TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' }).clipboard).toBe(false)
  expect(abilitiesOf({ TERM: 'xterm', NO_COLOR: '1' }).color).toBe(false)
  expect(abilitiesOf({ TERM: 'dumb' }).addressable).toBe(false)
  expect(abilitiesOf({}).addressable).toBe(false)
  expect(abilitiesOf({ TERM: 'linux' }).keyboardProtocol).toBe(false)
  expect(abilitiesOf({ TERM: 'xterm', XTERM_VERSION: 'XTerm(390)' }).reflow).toBe(false)
})

afterEach(() => void vi.useRealTimers())

/** A terminal that accepts output until the test stops it. */
function slowOutput() {
  const sent: string[] = []
  const waiting: (() => void)[] = []
  const output = {
    columns: 40,
    rows: 10,
    takes: true,
    write: (bytes: string) => {
      sent.push(bytes)
      return output.takes
    },
    once: (_: 'drain', listener: () => void) => waiting.push(listener),
    drain: () => {
      output.takes = true
      for (const listener of waiting.splice(0)) listener()
    },
  }
  return { output, sent }
}

function screenOn(output: ReturnType<typeof slowOutput>['output'], picture: () => string[]) {
  return new Screen({ output, look, reflow: true, picture: () => ({ rows: picture().map(row) }) })
}

test('H1 changes are gathered into frames, a key is drawn at once, and nothing runs while nothing changes', () => {
  vi.useFakeTimers()
  const { output, sent } = slowOutput()
  let live = 'start'
  const screen = screenOn(output, () => [live])
  screen.draw()
  expect(sent).toHaveLength(1)
  for (let number = 0; number < 100; number++) {
    live = `change ${number}`
    screen.changed()
  }
  expect(sent).toHaveLength(1)
  vi.advanceTimersByTime(40)
  expect(sent).toHaveLength(2)
  expect(sent[1]).toContain('change 99')
  live = 'key'
  screen.draw()
  expect(sent).toHaveLength(3)
  expect(vi.getTimerCount()).toBe(0)
})

test('H1 nothing is sent to a terminal that has not taken the last frame, and then only the newest one', () => {
  vi.useFakeTimers()
  const { output, sent } = slowOutput()
  let live = 'first'
  const screen = screenOn(output, () => [live])
  output.takes = false
  screen.draw()
  for (const each of ['second', 'third', 'last']) {
    live = each
    screen.print([[{ text: `finished ${each}` }]])
    vi.advanceTimersByTime(50)
  }
  expect(sent).toHaveLength(1)
  output.drain()
  vi.advanceTimersByTime(50)
  expect(sent).toHaveLength(2)
  expect(sent[1]).toMatch(/finished second[\s\S]*finished third[\s\S]*finished last[\s\S]*last/)
})

test('H1 a flood of finished lines is sent in several frames, so that keys come between', () => {
  vi.useFakeTimers()
  const { output, sent } = slowOutput()
  const screen = screenOn(output, () => ['live'])
  screen.print(Array.from({ length: 5000 }, (_, index) => [{ text: `line ${index} ${'x'.repeat(30)}` }]))
  screen.draw()
  expect(sent[0]?.length).toBeLessThan(100_000)
  vi.advanceTimersByTime(1000)
  expect(sent.length).toBeGreaterThan(4)
  expect(sent.join('').match(/line \d+ x/g)).toHaveLength(5000)
  expect(vi.getTimerCount()).toBe(0)
})
