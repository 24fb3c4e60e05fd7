import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DataWatch } from '../src/wire/data-watch.js'
import { runs } from './support/property-runs.js'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('what counts as data', () => {
  it('A5 comments, pings and empty lines do not', () => {
    const nothing = [
      ': ping\n\n',
      ': OPENROUTER PROCESSING\r\n\r\n',
      'event: ping\ndata: {"type": "ping"}\n\n',
      'event: ping\ndata: {}\n\n',
      'data: {"type":"ping"}\n\n',
      'data:\n\n',
      'id: 7\nretry: 10\n\n',
      '\n\n\n',
    ]
    for (const text of nothing) expect([text, new DataWatch().see(bytes(text))]).toEqual([text, false])
  })

  it('A5 anything said does, also after a ping', () => {
    for (const text of ['data: {"a":1}\n', 'data:x\n\n', 'event: message\ndata: {"type":"text"}\n\n'])
      expect([text, new DataWatch().see(bytes(text))]).toEqual([text, true])
    const watch = new DataWatch()
    expect(watch.see(bytes('event: ping\ndata: {}\n\n'))).toBe(false)
    expect(watch.see(bytes('data: {"a":1}\n\n'))).toBe(true)
  })

  it('A5 the end is known by each provider’s own word, once its event is whole', () => {
    for (const text of [
      'data: [DONE]\n\n',
      'data: [DONE]\r\n\r\n',
      'event: message_stop\ndata: {"type":"message_stop"}\n\n',
      'event: response.completed\ndata: {}\n\n',
    ]) {
      const watch = new DataWatch()
      watch.see(bytes(text.slice(0, -1)))
      expect([text, watch.ended]).toEqual([text, false])
      watch.see(bytes(text.slice(-1)))
      expect([text, watch.ended]).toEqual([text, true])
    }
  })

  it('A5 lines may end by a carriage return alone', () => {
    const watch = new DataWatch()
    expect(watch.see(bytes('event: ping\rdata: {}\r\r: hi\r'))).toBe(false)
    expect(watch.see(bytes('data: {"a":1}\r\r'))).toBe(true)
    watch.see(bytes('data: [DONE]\r\r'))
    watch.see(bytes(': bye'))
    expect(watch.ended).toBe(true)
  })

  it('A5 however the bytes are parted, the same is seen in the end', () => {
    const line = fc.constantFrom(
      ': ping\n',
      'event: ping\n',
      'data: {"type":"ping"}\n',
      '\n',
      `data: ${'x'.repeat(100)}\n`,
      'data: 世界\r\n',
      '\r',
      'data: [DONE]\n',
      'event: message_stop\n',
    )
    fc.assert(
      fc.property(fc.array(line), fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (lines, sizes) => {
        const all = bytes(lines.join(''))
        const whole = new DataWatch()
        const data = whole.see(all)
        const parted = new DataWatch()
        let seen = false
        for (let start = 0; start < all.length; ) {
          const size = sizes.next().value
          seen = parted.see(all.subarray(start, start + size)) || seen
          start += size
        }
        expect([seen, parted.ended]).toEqual([data, whole.ended])
      }),
      { numRuns: runs(500) },
    )
  })
})
