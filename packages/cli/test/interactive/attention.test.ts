import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Attention } from '../../src/interactive/conversation/attention.js'
import { noticeSigns, titleSigns } from '../../src/interactive/screen/window-signs.js'
import { english } from '../../src/interactive/words/english.js'
import { makeFolder } from '../support/command.js'
import { action, finish } from '../support/scripted.js'
import { answering, leave, talkTo } from './support/conversations.js'

describe('a person who looks elsewhere', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** A person who has just pressed a key, and what they learn. */
  function watching() {
    const titles: string[] = []
    const calls: string[] = []
    const attention = new Attention({
      words: english.attention,
      folder: 'express',
      title: (text) => titles.push(text),
      call: (text) => calls.push(text),
    })
    attention.change('ready')
    attention.keyPressed()
    return { attention, titles, calls }
  }

  test('P6 they are called when a question has waited and no key was pressed for ten seconds, and once only', () => {
    const { attention, titles, calls } = watching()
    attention.change('working')
    vi.advanceTimersByTime(3000)
    attention.change('waiting')
    vi.advanceTimersByTime(6999)
    expect(calls).toEqual([])
    vi.advanceTimersByTime(60_000)
    expect(calls).toEqual(['Mutsumi is waiting for your answer (express)'])
    attention.change('working')
    // Nobody has pressed a key since, so the next question calls at once.
    attention.change('waiting')
    vi.advanceTimersByTime(1)
    expect(calls).toHaveLength(2)
    const working = ['Mutsumi – working', 'Mutsumi – waiting for you']
    expect(titles).toEqual(['Mutsumi – ready', ...working, ...working])
  })

  test('P6 somebody who reads the question, or who is typing, is not called', () => {
    const { attention, calls } = watching()
    attention.change('working')
    attention.change('waiting')
    vi.advanceTimersByTime(5000)
    attention.keyPressed()
    vi.advanceTimersByTime(60_000)
    attention.change('working')
    vi.advanceTimersByTime(20_000)
    attention.keyPressed()
    vi.advanceTimersByTime(2000)
    attention.change('ready')
    expect(calls).toEqual([])
  })

  test('P6 they are called when a round ends that took more than ten seconds, and not after a short one', () => {
    const { attention, calls } = watching()
    vi.advanceTimersByTime(60_000)
    attention.change('working')
    vi.advanceTimersByTime(9000)
    attention.change('ready')
    expect(calls).toEqual([])
    attention.change('working')
    vi.advanceTimersByTime(10_001)
    attention.change('ready')
    expect(calls).toEqual(['Mutsumi has finished (express)'])
  })
})

test('P6 nothing in a text can end the sequence that it is part of, and tmux is asked to pass it on', () => {
  const abilities = { title: true, notices: 'osc777', multiplexer: 'none' } as const
  const hostile = 'a;b\u0007\u001b]2;evil\u0007\n\u202e'
  expect(noticeSigns(hostile, abilities)).toBe(
    '\u0007\u001b]777;notify;Mutsumi;a,b\\u0007\\u001b]2,evil\\u0007\\u000a\\u202e\u0007',
  )
  expect(titleSigns(hostile, abilities, { isFirst: true })).toBe(
    '\u001b[22;2t\u001b]2;a;b\\u0007\\u001b]2;evil\\u0007\\u000a\\u202e\u0007',
  )
  expect(noticeSigns('x', { ...abilities, notices: 'osc9', multiplexer: 'tmux' })).toBe(
    '\u0007\u001bPtmux;\u001b\u001b]9;x\u0007\u001b\\',
  )
  expect(noticeSigns('x', { ...abilities, notices: 'none' })).toBe('\u0007')
})

// biome-ignore lint/suspicious/noControlCharactersInRegex: titles are between them.
const title = /\u001b\](?:0|2);([^\u0007]*)\u0007/g

test.for([
  { notify: 'true', titles: ['Mutsumi – ready', 'Mutsumi – working', 'Mutsumi – waiting for you'] },
  { notify: 'false', titles: [] },
])('P6 the title says that a question waits and comes back at the end, unless notify=$notify', async (it) => {
  const write = action('Write', { path: 'a.txt', content: 'text\n' })
  const server = await answering(write, finish('written'))
  const talk = await talkTo(server, makeFolder(), { args: ['-c', `notify=${it.notify}`] })
  const titles = () => [...talk.sent.matchAll(title)].map(([, text]) => text)
  talk.type('Write it<enter>')
  await talk.until('1. Yes, this once')
  expect(titles()).toEqual(it.titles)
  talk.type('<escape>')
  await talk.until('✗ cancelled')
  await leave(talk)
  // The terminal keeps the title that it had before, once, and takes it back at the end.
  const isOn = it.notify === 'true'
  expect(talk.sent.split('\u001b[22;2t').length - 1).toBe(isOn ? 1 : 0)
  expect(talk.sent.split('\u001b[23;2t').length - 1).toBe(isOn ? 1 : 0)
  expect(titles().at(-1)).toBe(isOn ? '' : undefined)
  expect(talk.sent).not.toContain('\u001b]9;')
})
