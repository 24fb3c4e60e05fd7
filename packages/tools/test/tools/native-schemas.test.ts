import { isJsonObject, type Json, type JsonObject } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toJSONSchema } from 'zod'
import { runs } from '../../../../test/support/property-runs.js'
import { builtInTools } from '../../src/index.js'
import { shortSchema } from '../../src/mcp/short-schema.js'
import { connect, stdioServer } from '../support/mcp-fixture.js'

describe('the short schema of a built-in tool', () => {
  test.for(builtInTools().map((tool) => [tool.name, tool] as const))(
    'A2 %s: accepts the same arguments as the tool',
    async ([, tool]) => {
      const { parameters } = await tool.load()
      expectSame(tool.schema, toJSONSchema(parameters, { io: 'input' }) as unknown as JsonObject, tool.name)
    },
  )

  test.for(builtInTools().map((tool) => [tool.name, tool] as const))(
    'A2 %s: uses the same words as the text form',
    ([, { prompt, schema = {} }]) => {
      const [, line = ''] = prompt.split('\n')
      // Skills that have some are listed with their names.
      for (const name of Object.keys(schema.properties ?? {}))
        if (name !== 'params') expect(line).toContain(`"${name}": `)
      for (const words of descriptionsIn(schema)) expect(line).toContain(words)
    },
  )
})

/** Holds a short schema against a whole one: what it leaves out are bounds that the tool itself reports. */
function expectSame(short: Json | undefined, whole: Json | undefined, where: string): void {
  if (!isJsonObject(short) || !isJsonObject(whole)) return expect(short, where).toEqual(whole)
  const keys = (schema: JsonObject) => Object.keys(schema.properties ?? {}).sort()
  expect(short.type, where).toBe(whole.type)
  expect(short.enum, where).toEqual(whole.enum)
  expect(keys(short), where).toEqual(keys(whole))
  expect(short.required ?? [], where).toEqual(whole.required ?? [])
  // Absent values default to false, nothing or zero.
  expect(short.default, where).toEqual(isTelling(whole.default) ? whole.default : undefined)
  if (short.maximum !== undefined) expect(short.maximum, where).toBe(whole.maximum)
  for (const name of keys(short))
    expectSame(inside(short.properties, name), inside(whole.properties, name), `${where}.${name}`)
  if (short.items ?? whole.items) expectSame(short.items, whole.items, `${where}[]`)
}

function isTelling(value: Json | undefined): boolean {
  return Boolean(value) && !(typeof value === 'object' && Object.keys(value ?? {}).length === 0)
}

function inside(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined
}

function descriptionsIn(schema: Json): string[] {
  if (Array.isArray(schema)) return schema.flatMap(descriptionsIn)
  if (!isJsonObject(schema)) return []
  const { description, ...rest } = schema
  return [
    ...(typeof description === 'string' ? [description] : []),
    ...Object.values(rest).flatMap(descriptionsIn),
  ]
}

describe('the schema of a server’s tool', () => {
  test('A2 T9 is the schema that the server lists', async () => {
    const { tools } = await connect({ tickets: stdioServer() })
    expect(tools.find(({ name }) => name === 'mcp__tickets__echo')?.schema).toEqual({
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
    })
  })

  test('A2 T9 loses titles and dialects, and never an argument', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Arguments',
      type: 'object',
      properties: {
        title: { title: 'Title', type: 'string', default: { title: 'kept' } },
        inner: { type: 'object', additionalProperties: false, properties: { $id: { type: 'string' } } },
        map: { type: 'object', additionalProperties: { title: 'Value', type: 'integer' } },
        one: { anyOf: [{ title: 'A', type: 'string' }, { type: 'null' }] },
      },
      additionalProperties: false,
      $defs: { title: { title: 'T', const: 'title' } },
    }
    expect(shortSchema(schema)).toEqual({
      type: 'object',
      properties: {
        title: { type: 'string', default: { title: 'kept' } },
        inner: { type: 'object', properties: { $id: { type: 'string' } } },
        map: { type: 'object', additionalProperties: { type: 'integer' } },
        one: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
      $defs: { title: { const: 'title' } },
    })
  })

  test('A2 T9 has properties and no choice at its top level, because OpenAI and Anthropic would refuse every request', () => {
    expect(shortSchema({ type: 'object', oneOf: [{ required: ['a'] }], not: {} })).toEqual({
      type: 'object',
      properties: {},
    })
  })

  test('A2 T9 hides nothing from the user', () => {
    const description = 'Reads\u200b a\u202e file'
    const { properties } = shortSchema({ type: 'object', properties: { a: { description } } })
    expect(properties).toEqual({ a: { description: 'Reads a file' } })
  })

  test('A2 T9 keeps the names of all arguments, whatever they are', () => {
    const name = fc.oneof(
      fc.string(),
      fc.constantFrom('title', '$schema', '__proto__', 'properties', 'items'),
    )
    const value = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), fc.dictionary(name, value), (args, more) => {
        const properties = Object.fromEntries(args) as JsonObject
        const short = shortSchema({ ...(more as JsonObject), type: 'object', properties })
        expect(Object.keys(short.properties ?? {})).toEqual(Object.keys(properties))
        expect(shortSchema(short)).toEqual(short)
      }),
      { numRuns: runs(200) },
    )
  })
})
