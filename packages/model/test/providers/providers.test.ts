import type { ModelRequest } from '@mutsumi/schema'
import { describe, expect, it } from 'vitest'
import { ask, callsIn, faultIn, modelAt, reasonIn, secretKey, textIn } from '../support/asking.js'
import { type Dialect, dialects } from '../support/dialects.js'
import { wireServer } from '../support/wire-server.js'

const readTool = {
  name: 'Read',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
} as const

const withTools: ModelRequest = { messages: [{ role: 'user', content: 'Read a.ts' }], tools: [readTool] }

describe.each(dialects.map((dialect) => [dialect.provider, dialect] as const))(
  '%s',
  (_, dialect: Dialect) => {
    it('A5 text comes as it arrives, then the usage, then the end', async () => {
      const server = await wireServer(dialect.reply({ texts: ['Hel', 'lo ', 'wörld 世界'] }))
      const events = await ask(await modelAt(server, { dialect }))
      expect(textIn(events)).toBe('Hello wörld 世界')
      expect(events.filter(({ type }) => type === 'text').length).toBeGreaterThan(1)
      expect(events.slice(-2)).toEqual([
        { type: 'usage', usage: { input: 10, output: 3 } },
        { type: 'end', reason: 'stop' },
      ])
      expect(server.requests[0]?.path).toMatch(dialect.path)
      expect(JSON.stringify(server.requests[0]?.headers)).toContain(secretKey)
    })

    it('A5 usage includes the cached tokens', async () => {
      const usage = { input: 1000, output: 7, cached: 900 }
      const server = await wireServer(dialect.reply({ texts: ['hi'], usage }))
      const events = await ask(await modelAt(server, { dialect }))
      expect(events.find(({ type }) => type === 'usage')).toEqual({ type: 'usage', usage })
    })

    it('A5 native calls arrive whole, with the text before them', async () => {
      const calls = [
        { id: 'c1', name: 'Read', pieces: ['{"path":', '"a.ts"}'] },
        { id: 'c2', name: 'Read', pieces: ['{"path":"b.ts"}'] },
      ]
      const server = await wireServer(dialect.reply({ texts: ['I read.'], calls }))
      const events = await ask(await modelAt(server, { dialect }), withTools)
      expect(textIn(events)).toBe('I read.')
      expect(callsIn(events)).toEqual([
        { id: 'c1', name: 'Read', args: { path: 'a.ts' } },
        { id: 'c2', name: 'Read', args: { path: 'b.ts' } },
      ])
      expect(reasonIn(events)).toBe('calls')
      expect(server.requests[0]?.body).toContain('Reads a file.')
    })

    it('A5 a reply that was cut at the output limit is marked and runs nothing', async () => {
      const calls = [{ id: 'c1', name: 'Read', pieces: ['{"path":"a.ts"}'] }]
      const finish = dialect.finishByLength
      const server = await wireServer(dialect.reply({ texts: ['I read'], calls, finish }))
      const events = await ask(await modelAt(server, { dialect }), withTools)
      expect(callsIn(events)).toEqual([])
      expect(reasonIn(events)).toBe('length')
    })

    it('A5 a filtered reply is marked, and its text so far stays', async () => {
      const server = await wireServer(dialect.reply({ texts: ['First'], finish: dialect.finishByFilter }))
      const events = await ask(await modelAt(server, { dialect }))
      expect(textIn(events)).toBe('First')
      expect(reasonIn(events)).toBe(dialect.provider === 'anthropic' ? 'refusal' : 'filter')
    })

    it('A5 an empty answer is a fault that says so', async () => {
      const server = await wireServer(dialect.reply({}))
      const fault = faultIn(await ask(await modelAt(server, { dialect })))
      expect(fault).toMatchObject({ kind: 'malformed' })
      expect(fault.message).toContain('empty answer')
    })

    it('A5 a stream that ends early is a fault, and retried only if no text had arrived', async () => {
      const { steps } = dialect.reply({ texts: ['One', 'two'] })
      const spoken = steps.findLastIndex((step) => String(step).includes('two')) + 1
      const server = await wireServer(
        { steps: [steps[0] ?? '', 'cut'] },
        { steps: [...steps.slice(0, spoken), 'cut'] },
      )
      const events = await ask(await modelAt(server, { dialect }))
      const said = dialect.provider === 'google' ? 'One' : 'Onetwo'
      expect(textIn(events)).toBe(said)
      expect(faultIn(events).kind).toBe('network')
      // Google's first event is text already.
      expect(server.requests.length).toBe(dialect.provider === 'google' ? 1 : 2)
    })
  },
)
