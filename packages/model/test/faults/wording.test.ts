import { readFileSync } from 'node:fs'
import type { ProviderName } from '@mutsumi/model'
import { describe, expect, it } from 'vitest'
import { growth, linear } from '../../../../test/support/growth.js'
import { kindOfWording } from '../../src/faults/wording.js'
import { ask, faultIn, modelAt } from '../support/asking.js'
import { dialectOf } from '../support/dialects.js'
import { events, failure, wireServer } from '../support/wire-server.js'

interface SaidSo {
  readonly by: string
  readonly status: number
  readonly body: object
  /** The provider whose wire format it uses. */
  readonly wire?: ProviderName
}

const tooLong = JSON.parse(
  readFileSync(new URL('./context-too-long.json', import.meta.url), 'utf8'),
) as readonly SaidSo[]

describe('a context that is too long', () => {
  it.each(tooLong)(
    'K7 is understood in the words of $by',
    async ({ status, body, wire = 'openai-compatible' }: SaidSo) => {
      const dialect = dialectOf(wire)
      const server = await wireServer(failure(status, body))
      const fault = faultIn(await ask(await modelAt(server, { dialect })))
      expect(fault).toMatchObject({ kind: 'context-too-long', status })
      expect(server.requests).toHaveLength(1)
    },
  )

  it('K7 is understood inside a stream', async () => {
    const error = { message: 'Context size has been exceeded.', type: 'server_error', code: 500 }
    const server = await wireServer({ steps: events({ error }) })
    expect(faultIn(await ask(await modelAt(server)))).toMatchObject({ kind: 'context-too-long' })
    expect(server.requests).toHaveLength(1)
  })

  it('K7 if a provider accepts too much silently, its counts are passed on as reported', async () => {
    const dialect = dialectOf('openai')
    const usage = { input: 5_000_000, output: 1 }
    const server = await wireServer(dialect.reply({ texts: ['hm'], usage }))
    expect(await ask(await modelAt(server, { dialect }))).toContainEqual({ type: 'usage', usage })
  })

  it('K7 if the window fills up while the model writes, the reply ends with the reason length', async () => {
    const dialect = dialectOf('anthropic')
    const server = await wireServer(dialect.reply({ texts: ['hm'], finish: 'model_context_window_exceeded' }))
    expect((await ask(await modelAt(server, { dialect }))).at(-1)).toEqual({ type: 'end', reason: 'length' })
  })

  it('K7 is not reported for other errors', () => {
    const others = [
      'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.',
      'Number of request tokens has exceeded your per-minute rate limit',
      'max_tokens is too large: 100000. This model supports at most 16384 completion tokens',
      'Invalid value for temperature',
      'Overloaded',
      'The server had an error while processing your request',
      'Image exceeds 5 MB maximum',
    ]
    for (const words of others) expect([words, kindOfWording(words)]).not.toEqual([words, 'context-too-long'])
  })

  it('K7 looking for words takes linear time in a long body', () => {
    const make = (count: number) => `model ${'input token count '.repeat(count)}`
    expect(growth(make, 6000, kindOfWording)).toBeLessThan(linear)
  })
})
