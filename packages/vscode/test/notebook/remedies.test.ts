import { expect, test } from 'vitest'
import { localRound } from '../../src/notebook/local-round.js'
import { remediesFor, withoutFlags } from '../../src/notebook/remedies.js'
import { hear, newRound } from '../../src/notebook/round-output.js'

test('H2 a notebook gives no advice for a terminal: its flags and variables leave the message', () => {
  const said = (message: string) => withoutFlags(message)
  expect(
    said(
      'openai/gpt-5 needs a key: set MUTSUMI_API_KEY or OPENAI_API_KEY. --model offline answers without one.',
    ),
  ).toBe('openai/gpt-5 needs a key.')
  expect(said('The quota is used up. Add credit, or choose another model with --model.')).toBe(
    'The quota is used up. Add credit, or choose another model.',
  )
  expect(
    said(
      'openai-compatible/x needs the address of its server: --base-url. --model offline answers without one.',
    ),
  ).toBe('openai-compatible/x needs the address of its server.')
  expect(said('openai/gpt-5 需要密钥：请设置 OPENAI_API_KEY。')).toBe('openai/gpt-5 需要密钥。')
  expect(said('提供方过载或出错。请稍后再试，或用 --model 选择另一个模型。')).toBe(
    '提供方过载或出错。请稍后再试，或选择另一个模型。',
  )
  for (const plain of ['The file a--b is missing: look: here.', 'cancelled', ''])
    expect(said(plain)).toBe(plain)
})

test('H2 a failed model offers buttons: to store a key, to select another model, or to try again', () => {
  expect(remediesFor('auth')).toEqual(['key', 'model'])
  expect(remediesFor('overloaded')).toEqual(['again', 'model'])
  expect(remediesFor('content-filter')).toEqual([])
  const fault = { kind: 'auth', message: 'no' } as const
  const round = hear(newRound('c1'), {
    ...{ type: 'round-end', status: 'fault', fault },
    message: 'The key is refused: set OPENAI_API_KEY.',
  })
  expect(round.remedies).toEqual(['key', 'model'])
  expect(localRound(round, 'en').message).toBe('The key is refused.')
})
