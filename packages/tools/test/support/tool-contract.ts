import type { JsonObject, ToolErrorCode, ToolResult } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createToolRunner,
  type LazyTool,
  type Tool,
  type ToolRunnerOptions,
  Workspace,
} from '../../src/index.js'
import { createSessionMemory, type SessionMemory } from '../../src/session-memory/session-memory.js'
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.js'

/** The facts about a tool that the contract needs. */
export interface ContractCase {
  readonly tool: Tool | LazyTool
  /** Distinguishes it from another case of the same tool. */
  readonly variant?: string
  /** Prepares a folder and a memory for one call that succeeds, and gives its arguments. */
  prepare(folder: TemporaryFolder, memory: SessionMemory): JsonObject | Promise<JsonObject>
  /** Arguments that do not fit the schema, besides those that every tool refuses. */
  readonly invalid: readonly JsonObject[]
  /** Calls in the prepared folder that fail as they should. `args` replace the good ones of the same name. */
  readonly failing?: readonly { readonly args: JsonObject; readonly code: ToolErrorCode }[]
  /** False for a tool whose arguments could do harm: a shell must not be given generated words. */
  readonly fuzz?: boolean
  /** Further options of the runner, a gate with a say of its own for instance. */
  readonly runner?: Partial<ToolRunnerOptions>
}

const codes: readonly ToolErrorCode[] = [
  ...(['NOT_FOUND', 'ACCESS_DENIED', 'PERMISSION_DENIED', 'INVALID_PARAM', 'TIMEOUT'] as const),
  ...(['INTERNAL_ERROR', 'EXECUTION_ERROR', 'IS_DIRECTORY', 'BINARY_FILE', 'CONFLICT'] as const),
]

/** The promises that every tool keeps, whatever it does. */
export function describeToolContract(contract: ContractCase): void {
  const { tool, variant = '', invalid, failing = [] } = contract

  describe(`the contract of ${tool.name}${variant}`, () => {
    test('T1 a valid call gives a result of the agreed shape', async () => {
      const { run, args, root } = await prepared(contract)
      const result = await run(args)
      expect(result.status, result.text).toMatch(/^(success|partial)$/)
      expectShape(result, { root, args })
    })

    test('T1 a parameter of the wrong type is INVALID_PARAM and is named', async () => {
      const { run, args, root } = await prepared(contract)
      for (const [name, value] of Object.entries(args)) {
        const wrong = { ...args, [name]: typeof value === 'number' ? 'seven' : 7 }
        const result = await run(wrong)
        expectShape(result, { root, args: wrong })
        expect(result, name).toMatchObject({ error: { code: 'INVALID_PARAM' } })
        expect(result.text).toContain(name)
      }
    })

    test('T1 an unknown parameter is INVALID_PARAM and is named', async () => {
      const { run, args, root } = await prepared(contract)
      const strange = { ...args, no_such_parameter: 1 }
      const result = await run(strange)
      expectShape(result, { root, args: strange })
      expect(result).toMatchObject({ error: { code: 'INVALID_PARAM' } })
      expect(result.text).toContain('no_such_parameter')
    })

    test.for(invalid.map((args) => [JSON.stringify(args), args] as const))(
      'T1 arguments that do not fit are INVALID_PARAM: %s',
      async ([, wrong]) => {
        const { run, args, root } = await prepared(contract)
        const merged = { ...args, ...wrong }
        const result = await run(merged)
        expectShape(result, { root, args: merged })
        expect(result).toMatchObject({ error: { code: 'INVALID_PARAM' } })
      },
    )

    test.for(failing.map(({ args, code }) => [code, JSON.stringify(args), args] as const))(
      'T1 an expected failure is a value: %s for %s',
      async ([code, , changed]) => {
        const { run, args, root } = await prepared(contract)
        const merged = { ...args, ...changed }
        const result = await run(merged)
        expectShape(result, { root, args: merged })
        expect(result, result.text).toMatchObject({ status: 'error', error: { code } })
      },
    )

    test('T1 a call that was already cancelled does nothing', async () => {
      const { run, args, root, calls } = await prepared(contract)
      const result = await run(args, AbortSignal.abort())
      expectShape(result, { root, args })
      expect(result).toMatchObject({ error: { code: 'EXECUTION_ERROR', message: 'cancelled' } })
      expect(calls()).toBe(0)
    })

    test('T1 a call that is cancelled while it runs answers at once', async () => {
      for (const delay of [0, 1, 5]) {
        const { run, args, root } = await prepared(contract)
        const controller = new AbortController()
        const running = run(args, controller.signal)
        setTimeout(() => controller.abort(), delay)
        const result = await running
        expectShape(result, { root, args })
        // It may have finished before the cancel; if not, it says why.
        const message = expect.stringMatching(/^cancelled(?:$|; its output until then:\n)/)
        if (result.status === 'error') expect(result.error).toEqual({ code: 'EXECUTION_ERROR', message })
      }
    })

    test.skipIf(contract.fuzz === false)('T1 no arguments make it throw', async () => {
      const { run, canonical, args, root } = await prepared(contract)
      const name = fc.oneof(fc.constantFrom(...Object.keys(args), 'path', 'limit', '__proto__'), fc.string())
      const strange = fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
      await fc.assert(
        fc.asyncProperty(strange, fc.boolean(), async (some, onTop) => {
          // Through JSON, as the arguments of a model come.
          const given = JSON.parse(JSON.stringify(onTop ? { ...args, ...some } : some)) as JsonObject
          expectShape(await run(given), { root, args: canonical(given) })
        }),
        { numRuns: 40 },
      )
    })

    test('T1 it is described to the model in at most a few lines that begin with its name', () => {
      expect(tool.prompt.startsWith(`${tool.name}: `)).toBe(true)
      expect(tool.prompt).toBe(tool.prompt.trim())
      expect(tool.prompt.length).toBeLessThan(600)
    })
  })
}

async function prepared({ tool, prepare, runner: options }: ContractCase) {
  const folder = temporaryFolder()
  const memory = createSessionMemory({ folder: temporaryFolder().path })
  const args = await prepare(folder, memory)
  let calls = 0
  const counted: LazyTool = {
    ...tool,
    load: async () => {
      const loaded = 'load' in tool ? await tool.load() : tool
      return {
        ...loaded,
        call(...given) {
          calls++
          return loaded.call(...given)
        },
      }
    },
  }
  const runner = createToolRunner({
    workspace: new Workspace({ root: folder.path }),
    tools: [counted],
    permit: () => ({ granted: true }),
    memory,
    ...options,
  })
  return {
    root: folder.path,
    args,
    /** How often the tool itself was called. */
    calls: () => calls,
    /** The arguments as the runner reads them. */
    canonical: (given: JsonObject) => runner.canonical({ name: tool.name, args: given }).args,
    run: (given: JsonObject, signal?: AbortSignal) =>
      runner.run({ name: tool.name, args: given }, { allowed: [folder.path], ...(signal && { signal }) }),
  }
}

/** The shape of T1, and nothing beside it. */
function expectShape(
  result: ToolResult,
  { root, args }: { readonly root: string; readonly args: JsonObject },
): void {
  const { status, data, text, stats, context, ...rest } = result
  expect(['success', 'partial', 'error']).toContain(status)
  expect(typeof text).toBe('string')
  expect(JSON.parse(JSON.stringify(data))).toEqual(data)
  expect(stats.time_ms).toBeGreaterThanOrEqual(0)
  expect(Object.values(stats).every(Number.isFinite)).toBe(true)
  expect(context).toMatchObject({ cwd: root, params_input: args })
  if (result.status === 'error') {
    expect(Object.keys(rest)).toEqual(['error'])
    expect(codes).toContain(result.error.code)
    // Nothing that can go wrong with arguments is a mistake of the tool.
    expect(result.error.code, result.error.message).not.toBe('INTERNAL_ERROR')
    expect(result.error.message).not.toBe('')
    expect(text).toBe(result.error.message)
  } else expect(rest).toEqual({})
}
