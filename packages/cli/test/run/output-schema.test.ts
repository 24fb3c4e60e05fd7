import { describe, expect, test } from 'vitest'
import { type CommandResult, run } from '../support/command.js'
import { problemsOfRun } from '../support/print-schemas.js'
import { finish, scripted } from '../support/scripted.js'

/** No compaction, whatever the length of an answer. */
const room = ['-c', 'contextWindow=9000000']

/** One run of the real command with this schema and these answers. */
async function ask(schema: unknown, answers: readonly string[] = ['x']): Promise<CommandResult> {
  const text = typeof schema === 'string' ? schema : JSON.stringify(schema)
  const { folder, flags } = scripted(answers.map(finish), { 'out.json': text })
  return run(folder, ['-p', 'x', '--no-session', '--json', '--output-schema', 'out.json', ...room, ...flags])
}

const nested = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels)

describe('Z7 a pattern of --output-schema', () => {
  const hostile = JSON.stringify([`${'a'.repeat(50_000)}!`])

  test('Z7 that backtracks without an end in most engines is matched in linear time', async () => {
    const { code, stdout } = await ask({ items: { pattern: '^(?:(?:a+)+)+$' } }, Array(3).fill(hostile))
    expect([code, problemsOfRun(stdout)]).toEqual([1, []])
    expect(JSON.parse(stdout).message).toContain('/0 must match pattern')
  })

  test('Z7 means what it means in JavaScript: properties by name, letters by code', async () => {
    const schema = {
      patternProperties: {
        '^n_': { type: 'number' },
        '^é(?<rest>.*)$': { type: 'string', pattern: '^\\d{2}\\/' },
      },
      additionalProperties: false,
    }
    const { code, stdout } = await ask(schema, ['{"n_a":"1","éx":"12-","z":1}', '{"n_a":1,"éx":"12/"}'])
    expect([code, JSON.parse(stdout).output]).toEqual([0, { n_a: 1, éx: '12/' }])
  })

  test.each([
    [{ properties: { 'a/b': { pattern: '^(?=x)' } } }, '"#/properties/a~1b/pattern"'],
    [
      { $defs: { d: { patternProperties: { '(a)\\1': {} } } }, $ref: '#/$defs/d' },
      '"#/$defs/d/patternProperties"',
    ],
    [{ pattern: '(?:a{1000}){1000}' }, '"#/pattern"'],
    [{ pattern: '(' }, '"#/pattern"'],
  ])('Z7 that RE2 cannot match is refused with its place when the schema is read', async (schema, place) => {
    const { code, stdout, stderr } = await ask(schema)
    expect([code, problemsOfRun(stdout)]).toEqual([2, []])
    expect(stderr).toContain(`${place} cannot be used: `)
    expect(stderr).not.toContain('internal error')
  })
})

describe('Z7 a schema', () => {
  const chain = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => {
      const next = { $ref: `#/$defs/d${at + 1}` }
      return [`d${at}`, { allOf: [next, next] }]
    }),
  )
  test.each([
    ['refers to itself', { $ref: '#' }, 'refers to itself without an end'],
    [
      'refers to itself by another one',
      {
        $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } },
        not: { $ref: '#/$defs/a' },
      },
      'refers to itself without an end',
    ],
    [
      'is nested 10 000 levels deep',
      nested('{"not":', '}', 10_000).replace('}', '{}}'),
      'nested deeper than 100',
    ],
    ['multiplies itself', { $ref: '#/$defs/d0', $defs: { ...chain, d40: {} } }, 'takes longer than 5 s'],
    ['asks for a promise', { $async: true, type: 'string' }, '"$async" is not supported'],
    ['has a draft that is no text', { $schema: { toString: 1 } }, '$schema must be a string'],
    ['divides by zero', { multipleOf: 0 }, 'multipleOf must be > 0'],
  ])('Z7 that %s is a usage error before anything is asked', async (_, schema, says) => {
    const { code, stdout, stderr } = await ask(schema)
    expect([code, problemsOfRun(stdout)]).toEqual([2, []])
    expect(stderr).toContain(says)
    expect(stderr).not.toContain('internal error')
  })

  test('Z7 may refer to itself inside the value: a tree', async () => {
    const tree = { type: 'object', properties: { left: { $ref: '#' } }, additionalProperties: false }
    const value = { left: { left: {} } }
    const { code, stdout } = await ask(tree, [JSON.stringify(value)])
    expect([code, JSON.parse(stdout).output]).toEqual([0, value])
  })

  test('Z7 may be a hundred levels deep', async () => {
    const schema = nested('{"items":', '}', 100).replace('}', '{}}').replace('{"items":', '')
    expect((await ask(schema.slice(0, -1), ['[]'])).code).toBe(0)
  })
})

describe('Z7 an answer', () => {
  test('Z7 that is nested too deeply is corrected', async () => {
    const { code, stdout } = await ask({ items: { $ref: '#' } }, [nested('[', ']', 100_000), '[[]]'])
    expect([code, JSON.parse(stdout).output]).toEqual([0, [[]]])
  })

  test('Z7 of megabytes with a fault in every place is corrected, and the fault is said once', async () => {
    const many = JSON.stringify(Array(500_000).fill(1))
    const { code, stdout } = await ask({ items: { type: 'string' } }, Array(3).fill(many))
    const { message } = JSON.parse(stdout)
    expect([code, message]).toEqual([1, expect.stringMatching(/: \/0 must be string$/)])
  })

  test('Z7 whose names are megabytes long gets a short correction', async () => {
    const answer = JSON.stringify({ ['n'.repeat(1_000_000)]: 1 })
    const { code, stdout } = await ask({ additionalProperties: { type: 'string' } }, Array(3).fill(answer))
    expect([code, JSON.parse(stdout).message.length < 1000]).toEqual([1, true])
  })

  test('Z7 that takes too long to check ends the run', async () => {
    const distinct = JSON.stringify(Array.from({ length: 200_000 }, (_, at) => [at]))
    const { code, stdout, stderr } = await ask({ uniqueItems: true }, [distinct])
    expect([code, problemsOfRun(stdout)]).toEqual([1, []])
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('takes longer'),
    })
    expect(stderr).not.toContain('internal error')
  })
})
