import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { describeLocale, describeTerminal } from '../../src/terminal/describe-terminal.js'
import { queryTerminal } from '../../src/terminal/query-terminal.js'

/** A terminal that gives this answer, in pieces. */
function terminal(...pieces: readonly string[]) {
  const events = new EventEmitter()
  const modes: boolean[] = []
  const input = {
    setRawMode: (isRaw: boolean) => void modes.push(isRaw),
    on: (name: string, hear: (chunk: Buffer) => void) => events.on(name, hear),
    off: (name: string, hear: (chunk: Buffer) => void) => events.off(name, hear),
    resume: () => undefined,
    pause: () => undefined,
  } as unknown as Parameters<typeof queryTerminal>[0]['input']
  const answer = async () => {
    for (const piece of pieces) {
      await new Promise(setImmediate)
      events.emit('data', Buffer.from(piece))
    }
  }
  return { ends: { input, output: { write: () => void answer() } }, modes, events }
}

test('H1 a terminal is asked what it can do, and is left as it was', async () => {
  const able = terminal('\u001b[?0', 'u\u001b[?2026;2$y\u001b[?62;', '4c')
  expect(await queryTerminal(able.ends)).toEqual({ keyboard: true, sync: true })
  expect(able.modes).toEqual([true, false])
  expect(able.events.listenerCount('data')).toBe(0)
  expect(await queryTerminal(terminal('\u001b[?2026;0$y\u001b[?1;2c').ends)).toEqual({
    ...{ keyboard: false, sync: false },
  })
})

test('H1 a terminal that says nothing is not waited for', async () => {
  const mute = terminal('typed')
  expect(await queryTerminal(mute.ends, 20)).toBeUndefined()
  expect(mute.modes).toEqual([true, false])
})

test('H1 the terminal and the locale in words', () => {
  const environment = { TERM: 'xterm-kitty', COLORTERM: 'truecolor', LANG: 'de_DE.UTF-8' }
  const answers = { keyboard: true, sync: false }
  expect(describeTerminal({ environment, columns: 120, answers })).toBe(
    'xterm-kitty, 120 columns, colors (24 bit), Kitty keyboard: yes, synchronized output: no',
  )
  const plain = { environment: { TERM: 'xterm', NO_COLOR: '1' }, columns: 40, answers: undefined }
  expect(describeTerminal(plain)).toBe(
    'xterm, 40 columns, no colors (NO_COLOR), Kitty keyboard: unknown, synchronized output: unknown',
  )
  expect(describeTerminal({ environment, columns: undefined, answers: undefined })).toMatch(/^none: /)
  expect(describeTerminal({ environment: { TERM: 'dumb' }, columns: 80, answers: undefined })).toMatch(
    /plain lines/,
  )
  expect(describeLocale(environment)).toBe('de_DE.UTF-8 (LANG)')
  expect(describeLocale({ LANG: 'en_US.UTF-8', LC_ALL: 'C' })).toMatch(/^C \(LC_ALL\): it is not UTF-8/)
  expect(describeLocale({})).toMatch(/^none is set/)
})
