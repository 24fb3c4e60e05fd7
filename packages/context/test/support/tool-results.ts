import type { Json, JsonObject } from '@mutsumi/schema'
import fc from 'fast-check'

/** Every tool that has a rule of its own, and some that have none. */
export const toolNames = [
  'LS',
  'Glob',
  'Grep',
  'Read',
  'Edit',
  'MultiEdit',
  'Write',
  'Bash',
  'TodoWrite',
  'Task',
  'Skill',
  'Recall',
  'mcp__github__search',
  '__proto__',
] as const

/** A whole result as a tool's runner gives it. */
export function resultOf(
  data: JsonObject,
  { text = '', status = 'success', args = {} }: { text?: string; status?: string; args?: JsonObject } = {},
): JsonObject {
  return {
    status,
    data,
    text,
    stats: { time_ms: 3 },
    context: { cwd: '/home/ann/project', params_input: args },
  }
}

export function failureOf(code: string, message: string, args: JsonObject = {}): JsonObject {
  return { ...resultOf({}, { status: 'error', text: message, args }), error: { code, message } }
}

/** `   12<tab>line 12`, as Read numbers them. */
export function numberedLines(count: number, line = (number: number) => `line ${number}`): string {
  const lines = Array.from({ length: count }, (_, index) => index + 1)
  return lines.map((number) => `${String(number).padStart(5)}\t${line(number)}`).join('\n')
}

const letters = fc.constantFrom(
  'a',
  '\n',
  '"',
  '\\',
  '\u0001',
  '界',
  '😀',
  '\ud83d',
  '\ude00',
  '@@ -1,2 +3,4 @@\n+',
)

/** Short and long texts of everything that is awkward to cut or to write as JSON. */
export const awkwardText = fc
  .array(fc.tuple(fc.string({ unit: letters, maxLength: 12 }), fc.constantFrom(1, 1, 1, 7, 60, 600)), {
    maxLength: 3,
  })
  .map((parts) => parts.map(([text, count]) => text.repeat(count)).join(''))

/** The values of a field: those of the tools, and nonsense. */
const awkwardValue: fc.Arbitrary<Json> = fc.oneof(
  { weight: 5, arbitrary: awkwardText },
  { weight: 2, arbitrary: fc.constantFrom<Json[]>(null, true, false, 5, -1.5e30, {}, []) },
  {
    weight: 2,
    arbitrary: fc.array(
      fc.oneof(
        awkwardText,
        fc.record<JsonObject>(
          {
            path: awkwardText,
            type: fc.constantFrom('file', 'directory', 'x'),
            file: awkwardText,
            line: fc.nat(),
            text: awkwardText,
          },
          { requiredKeys: [] },
        ),
        fc.constantFrom<Json[]>(null, 7, []),
      ),
      { maxLength: 14 },
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue() as fc.Arbitrary<Json> },
)

const fieldNames = [
  'path pattern include command name offset entries total listed paths matches content start_line end_line',
  'total_lines file_mtime_ms mtime diff_preview created replacements changed_lines directory exit_code output',
  'stdout stderr output_lines output_head output_tail stdout_head stderr_tail protected_changed recap report',
  'origin again truncated applied fallback modified_externally dry_run timed_out signal incomplete left_out',
  'clipped stale recall observation_id head tail characters text __proto__ constructor other',
].flatMap((line) => line.split(' '))

export const awkwardObject: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(fc.constantFrom(...fieldNames), awkwardValue), { maxLength: 8 })
  .map((entries) => Object.fromEntries(entries))

/** Results, almost results, and whatever else a tool may return. */
export const anyResult: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record(
      {
        status: fc.constantFrom<Json[]>('success', 'partial', 'error', 'fine', 5),
        data: fc.oneof({ weight: 6, arbitrary: awkwardObject }, { weight: 1, arbitrary: awkwardValue }),
        text: awkwardValue,
        error: fc.oneof(
          fc.record({ code: fc.constantFrom('NOT_FOUND', 'TIMEOUT'), message: awkwardText }),
          awkwardValue,
        ),
        stats: awkwardObject,
        context: fc.record({ cwd: fc.constant('/w'), params_input: awkwardObject }),
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: awkwardObject.map((data) => ({ data })) },
  { weight: 1, arbitrary: awkwardObject },
  { weight: 2, arbitrary: awkwardText },
  { weight: 2, arbitrary: fc.anything({ withBigInt: true, withDate: true, withTypedArray: true }) },
  { weight: 1, arbitrary: fc.json() },
)

/** A result as it comes in: an object, or its JSON as text, plain or for people to read. */
export const incoming: fc.Arbitrary<unknown> = fc
  .tuple(anyResult, fc.constantFrom('object', 'json', 'pretty'))
  .map(([result, form]) => {
    if (form === 'object') return result
    try {
      return JSON.stringify(result, null, form === 'pretty' ? 2 : 0) ?? null
    } catch {
      // A big integer has no JSON.
      return String(form)
    }
  })
