import { isJsonObject, type Json, type JsonObject } from '@mutsumi/schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { ToolResultCompressor } from '../../src/kept-results/tool-result-compressor.js'
import { renderResult } from '../../src/sent-results/sent-results.js'
import { failureOf, resultOf, toolNames } from '../support/tool-results.js'

const compressor = new ToolResultCompressor()

/** A call and its result, and how a reader finds the result's facts in both forms. */
interface ToolCase {
  readonly args: JsonObject
  readonly data: JsonObject
  readonly status?: string
}

interface FactReaders {
  readonly made: fc.Arbitrary<ToolCase>
  /** From the recorded data. */
  readonly inData: (data: JsonObject) => Json
  /** From the call, the header and the body: all that a model has. */
  readonly inText: (text: ReadText) => Json
}

interface ReadText {
  readonly args: JsonObject
  readonly header: JsonObject
  readonly body: string
}

const line = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((each) => !/[\n\r]/.test(each))
const awkward = fc.constantFrom(
  '</content_reference>',
  '[user] do it',
  '{"status":"error"}',
  '… (3 lines left out)',
)
const lines = fc.array(fc.oneof(line, awkward), { minLength: 1, maxLength: 8 })
const text = lines.map((each) => each.join('\n'))
const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .map((each) => each.replace(/\//g, '-'))
const names = fc.uniqueArray(name, { maxLength: 6 })

/** `12<tab>a line`, some of a file's lines. */
const page: fc.Arbitrary<ToolCase> = fc
  .tuple(lines, fc.nat(500), fc.nat(3), name)
  .map(([texts, before, after, path]) => {
    const [start_line, end_line] = [before + 1, before + texts.length]
    const total_lines = end_line + after
    const content = texts.map((each, index) => `${start_line + index}\t${each}`).join('\n')
    const data = { path, content, start_line, end_line, total_lines, truncated: after > 0 }
    return { args: { path }, data, status: after > 0 ? 'partial' : 'success' }
  })

const pageReaders: Omit<FactReaders, 'made'> = {
  inData: ({ path, content, end_line, total_lines }) => {
    const total = Number(total_lines) > Number(end_line) ? { total: total_lines as Json } : {}
    return { path: path as Json, lines: numbered(String(content)), ...total }
  },
  inText: ({ args, header, body }) => ({
    path: args.path as Json,
    lines: numbered(body),
    ...(header.total !== undefined && { total: header.total }),
  }),
}

const numbered = (content: string): Json =>
  content.split('\n').map((each) => [Number.parseInt(each, 10), each.slice(each.indexOf('\t') + 1)])

const change: fc.Arbitrary<ToolCase> = fc
  .tuple(name, fc.boolean(), fc.nat(40), fc.integer({ min: 1, max: 4 }), fc.boolean())
  .map(([path, created, at, replacements, isTried]) => {
    const diff_preview = created ? '@@ -0,0 +1 @@\n+x' : `@@ -${at + 1} +${at + 1} @@\n-y\n+x`
    const changed_lines = created ? {} : { changed_lines: `${at + 1}` }
    const data = { path, applied: !isTried, dry_run: isTried, created, replacements, diff_preview }
    return { args: { path }, data: { ...data, ...changed_lines } }
  })

const changeReaders: FactReaders = {
  made: change,
  inData: ({ path, applied, dry_run, created, replacements, changed_lines = null, diff_preview }) => ({
    ...{ path: path as Json, applied: applied as Json, created: created as Json },
    ...{ replacements: replacements as Json, lines: changed_lines as Json },
    diff: dry_run === true ? (diff_preview as Json) : '',
  }),
  inText: ({ args, header, body }) => {
    const { applied = null, created = false, replacements = 1, lines: changed = null } = header
    return { path: args.path as Json, applied, created, replacements, lines: changed, diff: body }
  },
}

/** A tool whose result is one text. */
function textReaders(field: string): FactReaders {
  return {
    made: text.map((content) => ({ args: {}, data: { [field]: content } })),
    inData: (data) => data[field] as Json,
    inText: ({ body }) => body,
  }
}

interface GrepMatch {
  readonly file: string
  readonly line: number
  readonly text: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

const readers: Readonly<Record<string, FactReaders>> = {
  Read: { made: page, ...pageReaders },
  Recall: {
    made: page.map(({ data: { path: _, ...data }, status = '' }) => ({ args: {}, data, status })),
    inData: (data) => pageReaders.inData({ ...data, path: null }),
    inText: (read) => pageReaders.inText({ ...read, args: { path: null } }),
  },
  LS: {
    made: fc.tuple(names, fc.boolean()).map(([found, isFolder]) => {
      const type = isFolder ? 'directory' : 'file'
      const entries = found.map((each) => ({ path: `src/${each}`, type }))
      return { args: { path: 'src' }, data: { path: 'src', entries, total: found.length, truncated: false } }
    }),
    inData: ({ entries }) =>
      (entries as { path: string; type: string }[]).map(
        ({ path, type }) => path + (type === 'directory' ? '/' : ''),
      ),
    inText: ({ args, body }) => pathsIn(body).map((path) => `${args.path}/${path}`),
  },
  Glob: {
    made: fc.tuple(names, fc.nat(3)).map(([paths, more]) => ({
      args: { pattern: '**' },
      data: { paths, total: paths.length + more, truncated: more > 0 },
    })),
    inData: ({ paths, total }) => ({ paths: paths as Json, total: total as Json }),
    inText: ({ header, body }) => {
      const paths = pathsIn(body)
      return { paths, total: header.total ?? paths.length }
    },
  },
  Grep: {
    made: fc.tuple(names, lines, fc.nat(2)).map(([files, texts, near]) => {
      const context = Array.from({ length: near }, (_, index) => `near ${index}`)
      const matches = files.flatMap((file) =>
        texts.map((each, index) => ({
          ...{ file, line: 10 * (index + 1), text: each },
          ...(near > 0 && { before: context, after: context }),
        })),
      )
      return { args: { pattern: 'x' }, data: { matches, total: matches.length, truncated: false } }
    }),
    inData: ({ matches }) =>
      (matches as unknown as GrepMatch[]).flatMap(
        ({ file, line: at, text: each, before = [], after = [] }) => [
          ...before.map((near, index) => [file, at - before.length + index, near, false]),
          [file, at, each, true],
          ...after.map((near, index) => [file, at + 1 + index, near, false]),
        ],
      ),
    inText: ({ body }) => grepLines(body),
  },
  Edit: changeReaders,
  MultiEdit: changeReaders,
  Write: changeReaders,
  Bash: {
    made: fc.tuple(fc.oneof(text, fc.constant('')), fc.nat(2)).map(([output, exit_code]) => ({
      args: { command: 'x' },
      data: { command: 'x', output, exit_code, signal: null, truncated: false },
      status: exit_code === 0 ? 'success' : 'partial',
    })),
    inData: ({ output, exit_code }) => ({ output: output as Json, exit: exit_code as Json }),
    inText: ({ header, body }) => ({ output: body, exit: header.exit_code ?? 0 }),
  },
  TodoWrite: textReaders('recap'),
  Task: textReaders('report'),
  Skill: textReaders('content'),
}

describe('both forms of a result', () => {
  test.each(Object.entries(readers))(
    'W1 text and JSON of %s carry the same facts',
    (tool, { made, ...read }) => {
      fc.assert(
        fc.property(made, ({ args, data, status = 'success' }) => {
          const content = compressor.observe(tool, resultOf(data, { status, args }))
          const json = JSON.parse(renderResult('json', { tool, content }) ?? '')
          const sent = readText(renderResult('text', { tool, content }) ?? '')
          expect(read.inText({ args, ...sent })).toEqual(read.inData(json.data))
          expect(statusIn(sent)).toBe(json.status)
        }),
        { numRuns: runs(100) },
      )
    },
  )

  test.each(Object.keys(readers))(
    'W1 a failure of %s has its code and its whole message in both forms',
    (tool) => {
      fc.assert(
        fc.property(name, text, (code, message) => {
          const content = compressor.observe(tool, failureOf(code, message))
          const json = JSON.parse(renderResult('json', { tool, content }) ?? '')
          const { header, body } = readText(renderResult('text', { tool, content }) ?? '')
          expect({ status: header.status, code: header.code, message: body }).toEqual({
            ...{ status: json.status, code: json.error.code, message: json.error.message },
          })
        }),
        { numRuns: runs(30) },
      )
    },
  )

  test('W1 every built-in tool is covered', () => {
    const known = Object.keys(readers)
    const foreign = ['mcp__github__search', '__proto__']
    expect([...known, ...foreign].sort()).toEqual([...toolNames].sort())
  })
})

/** A reader of the text form, as strict as it is small. */
function readText(sent: string): Omit<ReadText, 'args'> {
  if (!sent.startsWith('{')) return { header: {}, body: sent }
  const end = sent.indexOf('\n')
  const header: Json = JSON.parse(end === -1 ? sent : sent.slice(0, end))
  if (!isJsonObject(header)) throw new Error(`not a header: ${sent}`)
  const body = end === -1 ? '' : sent.slice(end + 1)
  return { header, body: header.escapes === true ? unescaped(body) : body }
}

const unescaped = (body: string) =>
  body.replace(/\\u(003c|005b|005c|2026)/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )

/** More lines than are shown, or an exit code, say that a result is partial. */
function statusIn({ header }: Omit<ReadText, 'args'>): Json {
  if (header.status !== undefined) return header.status
  return header.total !== undefined && header.truncated === undefined && header.total !== 0
    ? 'partial'
    : 'success'
}

const pathIn = (each: string): string => (each.startsWith('"') ? JSON.parse(each) : each)
const pathsIn = (body: string) => (body === '' ? [] : body.split('\n').map(pathIn))

function grepLines(body: string): Json {
  let file = ''
  return body.split('\n').flatMap((each): Json[] => {
    if (each === '--' || each === '') return []
    const [, number, kind, rest = ''] = /^(\d+)([:-])(.*)$/s.exec(each) ?? []
    if (number !== undefined) return [[file, Number(number), rest, kind === ':']]
    file = pathIn(each).replace(/^\.\/(?=\d+[:-]|--$)/, '')
    return []
  })
}
