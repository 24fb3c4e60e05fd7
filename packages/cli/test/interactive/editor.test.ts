import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import type { Completer } from '../../src/interactive/editor/completion.js'
import { drawEditor } from '../../src/interactive/editor/draw-editor.js'
import {
  type EditorState,
  type EditorWorld,
  editorText,
  emptyEditor,
  type Outcome,
  press,
  refreshed,
} from '../../src/interactive/editor/editor.js'
import { indexAt, layOutText } from '../../src/interactive/editor/layout.js'
import type { Input } from '../../src/interactive/keys/input.js'
import { lineText } from '../../src/interactive/text/span.js'
import { lineWidth } from '../../src/interactive/text/truncate.js'
import { graphemes } from '../../src/terminal/display-width.js'

const label = (paste: number) => `[pasted #${paste + 1}]`
const world: EditorWorld = { width: 40, entries: [], label }
const words = { placeholder: 'Ask', search: 'search:', notFound: 'nothing found', looking: 'looking …' }

/** `<name>` is a key, `<[text]>` a paste, anything else is typed character by character. */
function inputsOf(script: string): Input[] {
  return [...script.matchAll(/<\[([\s\S]*?)\]>|<([^<>]+)>|([^<]+)/g)].flatMap(
    ([, paste, name, text = '']): Input[] =>
      paste !== undefined
        ? [{ kind: 'paste', text: paste }]
        : name !== undefined
          ? [{ kind: 'key', name }]
          : [...graphemes(text)].map((each) => ({ kind: 'text', text: each })),
  )
}

interface Played {
  readonly state: EditorState
  readonly outcomes: readonly Outcome[]
}

function play(
  script: string | readonly Input[],
  options: Partial<EditorWorld> = {},
  from = emptyEditor,
): Played {
  const outcomes: Outcome[] = []
  let state = from
  for (const input of typeof script === 'string' ? inputsOf(script) : script) {
    const pressed = press(state, input, { ...world, ...options })
    state = pressed.state
    if (pressed.outcome.kind !== 'none') outcomes.push(pressed.outcome)
  }
  return { state, outcomes }
}

/** The text with `|` where the cursor is. */
function after(script: string, options: Partial<EditorWorld> = {}): string {
  const { text, cursor } = play(script, options).state.edit
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`
}

describe('H1 editing', () => {
  const cases: Readonly<Record<string, string>> = {
    'hello<left><left>X': 'helX|lo',
    'one two<ctrl+a>X': 'X|one two',
    'one<shift+enter>two<ctrl+a>X<ctrl+e>Y': 'one\nXtwoY|',
    'one<alt+enter>two<ctrl+home>X': 'X|one\ntwo',
    'one two three<alt+b><alt+b>X': 'one X|two three',
    'one two<ctrl+a><alt+f>X': 'oneX| two',
    '我们喜欢音乐<alt+b>X': '我们喜欢X|音乐',
    'ab👨‍👩‍👧<left>X': 'abX|👨‍👩‍👧',
    'ab👨‍👩‍👧<backspace>X': 'abX|',
    'e\u0301<backspace>x': 'x|',
    'abc<left><left><delete>': 'a|c',
    'abc<ctrl+a><ctrl+d>': '|bc',
    'path/to/file.ts rest<ctrl+w>': 'path/to/file.ts |',
    'see path/to/file.ts<ctrl+w>': 'see |',
    'see path/file<alt+backspace>': 'see path/|',
    'one two<ctrl+a><ctrl+k>': '|',
    'one two<ctrl+u>x': 'x|',
    'one two<ctrl+w><ctrl+w><ctrl+y>': 'one two|',
    'one two<ctrl+a><alt+d><alt+d><ctrl+y><ctrl+y>': 'one twoone two|',
    'a b<ctrl+w><left><right>x<ctrl+u><ctrl+y><alt+y>': 'b|',
    'ab<ctrl+t>': 'ba|',
    'abc<left><ctrl+t>': 'acb|',
    'hello world<ctrl+_>': 'hello |',
    'hello<ctrl+w><ctrl+_>': 'hello|',
    'hello<ctrl+w><ctrl+_><alt+z>': '|',
    'one<ctrl+j>two<up>X': 'oneX|\ntwo',
    'a long line<ctrl+j>b<ctrl+j>another long<up><up>X': 'a long lineX|\nb\nanother long',
  }
  test.for(Object.entries(cases))('H1 %s', ([script, expected]) => {
    expect(after(script)).toBe(expected)
  })
})

test('H1 Enter sends, unless a backslash ends the line', () => {
  expect(play('ask me<enter>').outcomes).toEqual([{ kind: 'submit', text: 'ask me', shown: 'ask me' }])
  expect(play('one\\<enter>two<enter>').outcomes).toEqual([
    { kind: 'submit', text: 'one\ntwo', shown: 'one\ntwo' },
  ])
  expect(play('two backslashes \\\\<enter>').outcomes).toEqual([
    { kind: 'submit', text: 'two backslashes \\\\', shown: 'two backslashes \\\\' },
  ])
  expect(play('  <enter>').outcomes).toEqual([])
  expect(play('x<enter>').state.edit.text).toBe('')
})

test('H1 keys that are not the editor’s are passed on', () => {
  expect(play('<ctrl+d>').outcomes).toEqual([{ kind: 'passed' }])
  expect(play('a<ctrl+a><ctrl+d>').outcomes).toEqual([])
  expect(play('a<escape><ctrl+c><f5>').outcomes).toHaveLength(3)
})

test('H1 a long paste is a mark that behaves as one character, and is sent in full', () => {
  const long = Array.from({ length: 120 }, (_, index) => `line ${index}`).join('\n')
  const inputs: Input[] = [
    { kind: 'text', text: 'see ' },
    { kind: 'paste', text: long },
    { kind: 'text', text: ' please' },
  ]
  const { state } = play(inputs)
  const { lines } = drawEditor(state, { columns: 60, rows: 5, label, entries: [], words })
  expect(lines.map(lineText)).toEqual(['› see [pasted #1] please'])
  expect(editorText(state)).toBe(`see ${long} please`)
  expect(play('<enter>', {}, state).outcomes).toEqual([
    { kind: 'submit', text: `see ${long} please`, shown: 'see [pasted #1] please' },
  ])
  expect(editorText(play('<alt+b><left><backspace>', {}, state).state)).toBe('see  please')
  expect(editorText(play('<alt+b><left><backspace><ctrl+_>', {}, state).state)).toBe(`see ${long} please`)
})

test('H1 a short paste is inserted unchanged, and no pasted text can imitate a mark', () => {
  expect(editorText(play('<[two\nlines]>').state)).toBe('two\nlines')
  expect(editorText(play('<[\u{10ff00}]>').state)).toBe('\ufffd')
})

test('H1 up and down go through earlier prompts, and back to the current text', () => {
  const entries = ['newest', 'middle', 'oldest']
  expect(after('draft<up>', { entries })).toBe('newest|')
  expect(after('draft<up><up><up><up>', { entries })).toBe('oldest|')
  expect(after('draft<up><up><down>', { entries })).toBe('newest|')
  expect(after('draft<up><up><down><down>', { entries })).toBe('draft|')
  expect(after('draft<up>!', { entries })).toBe('newest!|')
})

test('H1 Ctrl-R finds earlier prompts', () => {
  const entries = ['fix the Parser', 'run the tests', 'fix the tests']
  expect(after('<ctrl+r>tests<enter>', { entries })).toBe('run the tests|')
  expect(after('<ctrl+r>tests<ctrl+r><enter>', { entries })).toBe('fix the tests|')
  expect(after('<ctrl+r>tests<ctrl+r><ctrl+s><enter>', { entries })).toBe('run the tests|')
  expect(after('<ctrl+r>Parser<right>!', { entries })).toBe('fix the Parser!|')
  expect(after('draft<ctrl+r>tests<escape>', { entries })).toBe('draft|')
  expect(after('draft<ctrl+r>nowhere<enter>', { entries })).toBe('draft|')
  const { state } = play('<ctrl+r>nowhere', { entries })
  const { lines } = drawEditor(state, { columns: 60, rows: 5, label, entries, words })
  expect(lines.map(lineText)).toEqual(['search: nowhere', '  nothing found'])
})

const complete: Completer = ({ text, cursor }) =>
  text.startsWith('/')
    ? {
        from: 0,
        to: cursor,
        items: ['/help', '/hello', '/quit']
          .filter((each) => each.startsWith(text.slice(0, cursor)))
          .map((each) => ({ text: `${each} `, label: each, detail: 'a command' })),
      }
    : undefined

test('H1 a loading list reacts only to Esc, and is filled when results arrive', () => {
  let found: readonly string[] = []
  const slow: Completer = ({ text, cursor }) => ({
    from: 0,
    to: cursor,
    items: found.map((each) => ({ text: each, cursor: 2 })),
    isPending: found.length === 0 && text !== '',
  })
  const world = { width: 40, entries: [], label, complete: slow }
  const { state } = play('ab', { complete: slow })
  const { lines } = drawEditor(state, { columns: 30, rows: 5, label, entries: [], words })
  expect(lines.map(lineText)).toEqual(['› ab', '  looking …'])
  expect(play('ab<enter>', { complete: slow }).outcomes).toHaveLength(1)
  expect(after('ab<tab>', { complete: slow })).toBe('ab|')
  const closed = play('ab<escape>', { complete: slow }).state
  found = ['abcd']
  expect(refreshed(closed, world)).toBe(closed)
  const now = refreshed(state, world)
  expect(now.popup?.items).toHaveLength(1)
  expect(press(now, { kind: 'key', name: 'tab' }, world).state.edit).toMatchObject({
    text: 'abcd',
    cursor: 2,
  })
})

test('H1 a completion is offered while typing, chosen with the arrows, and accepted with Tab', () => {
  expect(play('/h', { complete }).state.popup?.items).toHaveLength(2)
  expect(after('/h<tab>', { complete })).toBe('/help |')
  expect(after('/h<down><tab>', { complete })).toBe('/hello |')
  expect(after('/h<up><enter>', { complete })).toBe('/hello |')
  expect(play('/h<escape>', { complete }).state.popup).toBeUndefined()
  expect(play('/quit<enter>', { complete }).outcomes).toEqual([
    { kind: 'submit', text: '/quit', shown: '/quit' },
  ])
  const { lines } = drawEditor(play('/h', { complete }).state, {
    columns: 30,
    rows: 5,
    label,
    entries: [],
    words,
  })
  expect(lines.map(lineText)).toEqual(['› /h', '▸ /help   a command', '  /hello  a command'])
})

const unit = fc.constantFrom(
  'a',
  'word',
  ' ',
  '\n',
  '中',
  '😀',
  '👨‍👩‍👧',
  'e\u0301',
  '\u0007',
  '\u{10ff00}',
  '0123456789',
)
const anyText = fc.array(unit, { maxLength: 40 }).map((units) => units.join(''))

test('H1 rows show all of the text, none is too wide, and every position has one row and column', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 12, max: 40 }), fc.nat(), (text, width, place) => {
      const layout = layOutText({ text, cursor: place % (text.length + 1) }, width, () => '[paste]')
      for (const { cells } of layout.rows) {
        const used = cells.reduce((sum, cell) => sum + cell.width, 0)
        expect(used).toBeLessThanOrEqual(width)
      }
      const parts = layout.rows.map(({ from, to, isBroken }) => text.slice(from, to) + (isBroken ? '' : '\n'))
      expect(parts.join('').slice(0, -1)).toBe(text)
      for (const cell of layout.rows.flatMap(({ cells }) => cells)) {
        const { row, column } = layOutText({ text, cursor: cell.at }, width, () => '[paste]').cursor
        expect(indexAt(layout, row, column)).toBe(cell.at)
      }
    }),
    { numRuns: runs(200) },
  )
})

const keyNames = [
  'left',
  'right',
  'up',
  'down',
  'home',
  'end',
  'backspace',
  'delete',
  'enter',
  'tab',
  'escape',
].concat(
  ...['a', 'b', 'd', 'e', 'f', 'k', 'u', 'w', 'y', 't', 'r', 's', '_', 'j'].map((name) => `ctrl+${name}`),
  ...['b', 'f', 'd', 'y', 'z', '<', '>', 'backspace'].map((name) => `alt+${name}`),
)
const anyInput = fc.oneof(
  fc.constantFrom(...keyNames).map((name): Input => ({ kind: 'key', name })),
  unit.map((text): Input => ({ kind: 'text', text })),
  anyText.map((text): Input => ({ kind: 'paste', text })),
)

test('H1 whatever key is pressed, the cursor is in the text and between two characters', () => {
  fc.assert(
    fc.property(fc.array(anyInput, { maxLength: 60 }), (inputs) => {
      const { state } = play(inputs, { entries: ['one', 'two\nlines'], complete })
      const { text, cursor } = state.edit
      expect(cursor).toBeGreaterThanOrEqual(0)
      expect(cursor).toBeLessThanOrEqual(text.length)
      expect(/^[\udc00-\udfff]/.test(text.slice(cursor))).toBe(false)
      const drawn = drawEditor(state, { columns: 30, rows: 4, label, entries: ['one'], words })
      for (const line of drawn.lines) expect(lineWidth(line)).toBeLessThanOrEqual(30)
      expect(drawn.cursor.row).toBeLessThan(drawn.lines.length)
      expect(drawn.cursor.column).toBeLessThan(30)
      for (const line of drawn.lines) expect(lineText(line)).not.toMatch(/\p{Control}/u)
    }),
    { numRuns: runs(200) },
  )
})

test('H1 undo after undo leads back to the beginning', () => {
  fc.assert(
    fc.property(fc.array(anyInput, { maxLength: 30 }), (inputs) => {
      const editing = inputs.filter(
        (input) => input.kind !== 'key' || !/enter|up|down|ctrl\+[rs]|tab|z/.test(input.name),
      )
      let { state } = play(editing)
      for (let count = 0; count < 100; count++) state = play('<ctrl+_>', {}, state).state
      expect(state.edit.text).toBe('')
    }),
    { numRuns: runs(100) },
  )
})
