import type { Json, JsonObject, SessionRecord } from '@mutsumi/schema'
import fc from 'fast-check'

/** Any text at all: lone surrogates, control characters, line separators, and what a line of ours looks like. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom(
    '',
    '__proto__',
    '\ud800',
    'a\udc00b',
    '\u2028\u2029',
    '\0',
    '\r\n',
    ',"sum":"00000000"}',
    '<<<<<<< HEAD',
    '漢字🙂',
  ),
)

/** Values that survive JSON unchanged. */
export const anyJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Json>(null, true, false, 0, 1.5, -3, 1e300),
    anyText,
    tie('object'),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
  object: fc
    .array(fc.tuple(anyText, tie('value')), { maxLength: 3 })
    .map((entries) => Object.fromEntries(entries)),
})).value

const anyObject: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(anyText, anyJson), { maxLength: 4 })
  .map((entries) => Object.fromEntries(entries))

/** Objects as `JSON.parse` makes them. */
function plain<T>(fields: { [Name in keyof T]: fc.Arbitrary<T[Name]> }): fc.Arbitrary<T> {
  return fc.record(fields, { noNullPrototype: true })
}

const number = fc.nat(1000)
const anyCall = plain({ id: anyText, name: anyText, args: anyObject })
const content = { stored: anyText, metadata: anyObject }

function record(
  type: SessionRecord['type'],
  required: object,
  optional: object = {},
): fc.Arbitrary<SessionRecord> {
  const fields = { id: anyText, at: anyText, ...required }
  return fc
    .tuple(
      fc.record(
        { type: fc.constant(type), ...fields, ...optional } as Record<string, fc.Arbitrary<unknown>>,
        {
          requiredKeys: ['type', ...Object.keys(fields)],
          noNullPrototype: true,
        },
      ),
      // Fields that a newer version adds.
      fc.array(fc.tuple(fc.oneof(fc.constantFrom('__proto__', '7', 'constructor'), anyText), anyJson), {
        maxLength: 2,
      }),
    )
    .map(([known, added]) => {
      const names = new Set([...Object.keys(fields), ...Object.keys(optional), 'type', 'sum'])
      const news = added.filter(([name]) => !names.has(name))
      // The shape is the type's: the codec under test says otherwise where it is not.
      return Object.fromEntries([...Object.entries(known), ...news]) as unknown as SessionRecord
    })
}

const anyVersion = fc.option(
  fc.record(
    { hash: anyText, mode: number, base64: anyText, lost: number },
    { requiredKeys: ['hash', 'mode'], noNullPrototype: true },
  ),
)
const anyFiles = fc.array(plain({ path: anyText, before: anyVersion, after: anyVersion }), { maxLength: 2 })

export const anyRecord: fc.Arbitrary<SessionRecord> = fc.oneof(
  record('cell', { role: anyText, content: anyText }, { after: fc.option(anyText), ...content }),
  record(
    'step',
    { cell: anyText, step: number, content: anyText },
    { calls: fc.array(anyCall, { maxLength: 2 }), final: fc.constant(true), ...content },
  ),
  record(
    'partial',
    { cell: anyText, step: number, from: number, content: anyText },
    { note: anyText, metadata: anyObject },
  ),
  record('steer', { cell: anyText, step: number, content: anyText }, content),
  record('intent', { cell: anyText, step: number, call: anyCall }),
  record(
    'result',
    { cell: anyText, step: number, call: anyText, tool: anyText, content: anyText },
    { observation: anyText, ...content },
  ),
  record('snapshot', { hash: anyText, size: number }, { content: anyText }),
  record(
    'metadata',
    { set: anyObject },
    { splice: fc.constant({ list: { at: 0, remove: 1, insert: [{ a: 1 }] } }) },
  ),
  record('usage', { request: anyText, input: number, output: number }, { cached: number, written: number }),
  record('compaction', { compaction: plain({ undo: anyText }) }, { last: anyText, upToLast: anyText }),
  record('act', {
    act: plain({ act: fc.constantFrom('drop', 'pin'), type: fc.constant('file'), key: anyText }),
  }),
  record(
    'edit',
    { cell: anyText },
    { content: anyText, role: anyText, after: fc.option(anyText), deleted: fc.constant(true), ...content },
  ),
  record(
    'request',
    {
      cell: anyText,
      number,
      keep: number,
      add: fc.array(
        fc.oneof(
          plain({ record: anyText }),
          plain({ message: anyObject, pieces: fc.array(fc.oneof(anyText, plain({ snapshot: anyText }))) }),
        ),
        { maxLength: 3 },
      ),
      fingerprint: anyText,
    },
    { model: anyText },
  ),
  record(
    'change',
    { cell: anyText, tool: anyText, files: anyFiles },
    { call: anyText, begun: fc.constant(true), unseen: anyText },
  ),
  record('undo', { cells: fc.array(anyText, { maxLength: 2 }), files: anyFiles }),
  record('redo', { undo: anyText, files: anyFiles }),
  record('end', { cell: anyText, status: anyText, message: anyText }),
)

/** Records of one file: each has an id of its own. */
export const anyRecords: fc.Arbitrary<readonly SessionRecord[]> = fc
  .array(anyRecord, { maxLength: 6 })
  .map((records) => records.map((record, index) => ({ ...record, id: `r${index}` })))
