import { afterEach, describe, expect, test, vi } from 'vitest'
import { type ReplyPiece, ReplyRecorder } from '../../src/round/reply-recorder.js'

afterEach(() => void vi.useRealTimers())

describe('a reply that streams in', () => {
  test('A3 each piece has only what is new, at most every one and a half seconds, and a short reply has none', () => {
    vi.useFakeTimers()
    const pieces: ReplyPiece[] = []
    const recorder = new ReplyRecorder(async (piece) => void pieces.push(piece))
    let text = ''
    for (let tokens = 0; tokens < 1000; tokens++) {
      text += `${tokens} `
      recorder.heard(text)
      vi.advanceTimersByTime(10)
    }
    expect(pieces).toHaveLength(6)
    const joined = pieces.reduce((before, { from, content }) => before.slice(0, from) + content, '')
    expect(pieces.map(({ content }) => content).join('')).toBe(joined)
    expect(text.startsWith(joined)).toBe(true)
    recorder.end()
    vi.advanceTimersByTime(10_000)
    expect(pieces).toHaveLength(6)
  })

  test('A3 a reply that begins again after a fault is recorded from its beginning', () => {
    vi.useFakeTimers()
    const pieces: ReplyPiece[] = []
    const recorder = new ReplyRecorder(async (piece) => void pieces.push(piece))
    recorder.heard('the first try')
    vi.advanceTimersByTime(2000)
    recorder.heard('')
    recorder.heard('the second try, which is longer')
    vi.advanceTimersByTime(2000)
    expect(pieces).toEqual([
      { from: 0, content: 'the first try' },
      { from: 0, content: 'the second try, which is longer' },
    ])
  })
})
