import { isJsonObject, type Json, type JsonObject } from '@mutsumi/schema'

export interface Call {
  readonly name: 'Glob' | 'Grep' | 'LS' | 'Read'
  readonly args: JsonObject
}

/** Work that calls tools and continues with their results. */
export type ToolWork<Outcome> = Generator<Call, Outcome, Result>

/** A line of a file. Line 0: only the file's name is known. */
export interface CitedLine {
  readonly file: string
  readonly line: number
  readonly text: string
}

/** The lines of Grep and Read, the names of Glob and LS, and how many there are in all, as far as the tool says. */
export interface Result {
  readonly failed: boolean
  readonly lines: readonly CitedLine[]
  readonly total: number
}

/** Reads a result as it was sent: a header of JSON or none, then the body; or everything as JSON. */
export function readResult(call: Call, content: string): Result {
  const end = content.startsWith('{') ? content.search(/\n|$/) : 0
  const given = end === 0 ? {} : parsed(content.slice(0, end))
  const header: JsonObject = isJsonObject(given) ? given : { status: 'error' }
  const data = isJsonObject(header.data) ? header.data : header
  const body = data === header ? content.slice(end && end + 1) : bodyOf(data)
  const failed = header.status === 'error'
  const plain = header.escapes
    ? body.replace(/\\u(?:003c|005b|005c|2026)/g, (code) => String(parsed(`"${code}"`)))
    : body
  const lines = failed || body === '' ? [] : linesIn(plain, call, data)
  const { total = data.total_lines } = data
  // If a file's result does not say how many lines there are, it goes to the end of the file.
  const known = call.name === 'Read' ? (lines.at(-1)?.line ?? 0) : lines.length
  return { failed, lines, total: typeof total === 'number' ? total : known }
}

/** `12<tab>a line` of Read, `12:a match` below the name of its file of Grep, names of the others. */
function linesIn(body: string, { name, args }: Call, data: JsonObject): CitedLine[] {
  const first = Number(data.start_line ?? args.start_line ?? 1)
  const isNumbered = body.trimStart().startsWith(`${first}\t`)
  let file = String(args.path)
  return body.split('\n').flatMap((text, index) => {
    if (name === 'LS' || name === 'Glob') return [{ file: nameIn(text), line: 0, text: '' }]
    if (name === 'Read')
      return [{ file, line: first + index, text: isNumbered ? text.replace(/^ *\d+\t/, '') : text }]
    const [, number, mark, rest = ''] = /^(\d+)([:-])(.*)$/s.exec(text) ?? []
    if (mark === undefined && text !== '--') file = nameIn(text)
    return mark === ':' ? [{ file, line: Number(number), text: rest }] : []
  })
}

/** A result in JSON, as the text that would have been sent. */
function bodyOf({ content, matches, paths, entries }: JsonObject): string {
  if (typeof content === 'string') return content
  const list: readonly Json[] = [matches, paths, entries].find(Array.isArray) ?? []
  const lines = list.flatMap((entry) => {
    const { file, line, text, path = entry, type } = isJsonObject(entry) ? entry : {}
    if (file === undefined) return [JSON.stringify(`${path}${type === 'directory' ? '/' : ''}`)]
    return [JSON.stringify(String(file)), `${Number(line) || 0}:${String(text).replace(/\n/g, ' ')}`]
  })
  return lines.join('\n')
}

/** A name that does not fit on a line is quoted, and one that looks like a line of a file begins with its folder. */
function nameIn(line: string): string {
  const name = line.startsWith('"') ? parsed(line) : line
  return (typeof name === 'string' ? name : line).replace(/^\.\//, '')
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // Not one of ours: the result counts as failed, or the line as it is.
    return undefined
  }
}
