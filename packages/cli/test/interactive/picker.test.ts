import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { type Asked, Asking } from '../../src/interactive/conversation/asking.js'
import type { Input } from '../../src/interactive/keys/input.js'
import { drawPicker } from '../../src/interactive/picker/draw-picker.js'
import {
  type Choice,
  openPicker,
  type Picker,
  pressPicker,
  withFound,
} from '../../src/interactive/picker/picker.js'
import { plainAsker } from '../../src/interactive/plain/plain-asking.js'
import { type Line, lineText } from '../../src/interactive/text/span.js'
import { lineWidth } from '../../src/interactive/text/truncate.js'
import { english } from '../../src/interactive/words/english.js'

const key = (name: string): Input => ({ kind: 'key', name })
const text = (typed: string): Input => ({ kind: 'text', text: typed })
const fruits: readonly Choice[] = [
  { label: 'apple', detail: 'red' },
  { label: 'banana', detail: 'yellow' },
  { label: 'cherry', detail: 'red', keywords: 'stone' },
]

function after(picker: Picker, ...inputs: readonly Input[]): Picker | number | undefined {
  let state = picker
  for (const input of inputs) {
    const picked = pressPicker(state, input)
    if (picked.kind === 'passed') continue
    if (picked.kind !== 'open') return picked.kind === 'picked' ? picked.at : undefined
    state = picked.picker
  }
  return state
}

const shown = (picker: Picker | number | undefined, columns = 40, rows = 10) =>
  typeof picker === 'object'
    ? drawPicker(picker, { columns, rows, words: english }).lines.map(lineText)
    : picker

test('H1 a picker shows its choices, filters them by the typed text, and Enter takes the marked one', () => {
  const picker = openPicker({ title: 'Which fruit?', choices: fruits })
  expect(shown(picker)).toEqual([
    'Which fruit?',
    'filter: ',
    '▸ apple   red',
    '  banana  yellow',
    '  cherry  red',
    'Enter chooses, Esc closes',
  ])
  expect(shown(after(picker, text('RED'), key('down')))).toEqual([
    'Which fruit?',
    'filter: RED',
    '  apple   red',
    '▸ cherry  red',
    'Enter chooses, Esc closes',
  ])
  expect(after(picker, text('RED'), key('down'), key('enter'))).toBe(2)
  expect(after(picker, text('red'), text(' stone'), key('enter'))).toBe(2)
  expect(after(picker, key('up'), key('enter'))).toBe(2)
  expect(after(picker, text('x'), key('backspace'), key('down'), key('enter'))).toBe(1)
  expect(shown(after(picker, text('plum'), key('enter')))).toContain('  nothing matches')
  expect(after(picker, text('red'), key('escape'))).toBeUndefined()
})

test('P1 H1 in a short list a number chooses, and no other text is taken', () => {
  const picker = openPicker({
    title: 'Sure?',
    choices: [{ label: 'Yes' }, { label: 'No' }],
    isNumbered: true,
  })
  expect(shown(picker)).toEqual(['Sure?', '▸ 1. Yes', '  2. No', 'Enter chooses, Esc closes'])
  expect(after(picker, text('2'))).toBe(1)
  for (const other of [{ kind: 'paste', text: '1' } as const, text('y'), text('3'), text('12'), key('left')])
    expect(pressPicker(picker, other)).toEqual({ kind: 'passed' })
})

test('H1 only search results for the typed words follow the choices', () => {
  const picker = after(openPicker({ title: 't', choices: fruits }), text('re')) as Picker
  const found = withFound(picker, 're', [{ label: 'pear', detail: 'green' }])
  expect(found.matches).toEqual([0, 2, 3])
  expect(after(found, key('up'), key('enter'))).toBe(3)
  expect(withFound(picker, 'other', [{ label: 'pear' }])).toEqual(picker)
  expect((after(found, text('d')) as Picker).matches).toEqual([0, 2])
})

test('H1 a picker fits its screen and marks a choice that is there, whatever is pressed', () => {
  const choice = fc.record({ label: fc.string({ maxLength: 90 }), detail: fc.string({ maxLength: 90 }) })
  const input = fc.oneof(
    fc.string({ maxLength: 3 }).map(text),
    fc
      .constantFrom(
        'up',
        'down',
        'pageup',
        'pagedown',
        'home',
        'end',
        'backspace',
        'ctrl+u',
        'ctrl+w',
        'left',
      )
      .map(key),
  )
  fc.assert(
    fc.property(
      fc.array(choice, { maxLength: 40 }),
      fc.array(input, { maxLength: 12 }),
      fc.integer({ min: 20, max: 100 }),
      fc.integer({ min: 1, max: 12 }),
      fc.boolean(),
      (choices, inputs, columns, rows, isNumbered) => {
        const ends = after(openPicker({ title: 'A title', choices, isNumbered }), ...inputs)
        if (typeof ends !== 'object') return
        expect(ends.marked).toBeLessThan(Math.max(1, ends.matches.length))
        const { lines, cursor } = drawPicker(ends, { columns, rows, words: english })
        for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(columns)
        expect(lines.length).toBeLessThanOrEqual(rows + 5)
        expect(cursor.row).toBeLessThan(lines.length)
        expect(cursor.column).toBeLessThan(columns)
      },
    ),
    { numRuns: runs(200) },
  )
})

test('H1 a command that asks gets the choice, the text, or nothing after Esc', async () => {
  const seen: (Asked | undefined)[] = []
  const asking = new Asking((asked) => seen.push(asked))
  const world = { width: 40, entries: [], label: () => '' }
  const press = (...inputs: readonly Input[]) => {
    for (const each of inputs) asking.press(each, world)
  }
  const choices = fruits.map((choice) => ({ ...choice, value: choice.label }))
  const first = asking.choose({ title: 'Which?', choices })
  press(text('ban'), key('enter'))
  expect(await first).toBe('banana')
  const second = asking.write({ title: 'Name?', initial: 'old ' })
  press(text('name'), key('enter'))
  expect(await second).toBe('old name')
  const third = asking.write({ title: 'Name?' })
  press(text('half'), key('escape'))
  expect(await third).toBeUndefined()
  const searched = asking.choose({
    title: 'Which?',
    choices,
    search: async (query) => [{ label: `${query} found`, value: 'elsewhere' }],
  })
  press(text('kiwi'))
  await expect.poll(() => JSON.stringify(seen.at(-1))).toContain('kiwi found')
  press(key('enter'))
  expect(await searched).toBe('elsewhere')
  expect(seen.at(-1)).toBeUndefined()
})

test('H1 in plain lines choices have numbers, words search for others, and an empty line goes back', async () => {
  const said: string[] = []
  const typed: string[] = []
  const asker = plainAsker({
    words: english,
    print: (lines: readonly Line[]) => said.push(...lines.map(lineText)),
    read: async () => typed.shift(),
  })
  const choices = fruits.map((choice) => ({ ...choice, value: choice.label }))
  typed.push('7', '2')
  expect(await asker.choose({ title: 'Which?', choices })).toBe('banana')
  expect(said).toEqual(['Which?', '1. apple  red', '2. banana  yellow', '3. cherry  red'])
  typed.push('red', '2')
  expect(await asker.choose({ title: 'Which?', choices })).toBe('cherry')
  typed.push('')
  expect(await asker.choose({ title: 'Which?', choices })).toBeUndefined()
  typed.push('a text')
  expect(await asker.write({ title: 'Name?', placeholder: 'FILE' })).toBe('a text')
  expect(said.at(-1)).toBe('Name? (FILE)')
})

test('H1 on a narrow screen the whole detail of a choice is below it', () => {
  const why = 'needs a key: set MUTSUMI_API_KEY or OPENAI_API_KEY'
  const choices = [
    { label: 'openai/gpt-5', detail: why },
    { label: 'offline' },
    { label: 'ollama/x', detail: why },
  ]
  const narrow = after(openPicker({ title: 'Which?', choices }), key('down'))
  expect(shown(narrow, 40, 9)).toEqual([
    'Which?',
    'filter: ',
    '  openai/gpt-5',
    '      needs a key: set MUTSUMI_API_KEY',
    '      or OPENAI_API_KEY',
    '▸ offline',
    '  ollama/x',
    '      needs a key: set MUTSUMI_API_KEY',
    '      or OPENAI_API_KEY',
    'Enter chooses, Esc closes',
  ])
  expect(shown(narrow, 100, 9)).toContain(`  openai/gpt-5  ${why}`)
})
