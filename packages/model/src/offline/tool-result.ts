import { isJsonObject, type JsonObject, parsedJson, type ToolCall } from '@mutsumi/schema'

/** Work that calls tools and continues with the lines of their results; a call that failed has none. */
export type ToolWork<Outcome> = Generator<ToolCall, Outcome, readonly CitedLine[]>

/** A line of a file. Line 0: only the file's name is known. */
export interface CitedLine {
  readonly file: string
  readonly line: number
  readonly text: string
}

/** Reads a result as it was sent: a header of JSON or none, then the body; or everything as JSON. */
export function readResult(call: ToolCall, content: string): readonly CitedLine[] {
  const end = content.startsWith('{') ? content.search(/\n|$/) : 0
  const header = end === 0 ? {} : parsedJson(content.slice(0, end))
  if (!isJsonObject(header) || header.status === 'error') return []
  const data = isJsonObject(header.data) ? header.data : header
  const body = data === header ? content.slice(end && end + 1) : textIn(data.content ?? '')
  const plain = header.escapes ? body.replace(escaped, (code) => textIn(parsedJson(`"${code}"`))) : body
  const start = data.start_line ?? call.args.start_line
  const first = typeof start === 'number' ? start : 1
  return plain === '' ? entriesIn(data) : linesIn(plain, call, first)
}

const escaped = /\\u(?:003c|005b|005c|2026)/g

/** `12<tab>a line` of Read, `12:a match` below the name of its file of Grep, names of the others. */
function linesIn(body: string, { name, args }: ToolCall, first: number): CitedLine[] {
  const isNumbered = body.trimStart().startsWith(`${first}\t`)
  let file = belowHere(textIn(args.path))
  return body.split('\n').flatMap((text, index) => {
    if (name === 'LS' || name === 'Glob') return [{ file: nameIn(text), line: 0, text: '' }]
    if (name === 'Read')
      return [{ file, line: first + index, text: isNumbered ? text.replace(/^ *\d+\t/, '') : text }]
    const [, number, rest = ''] = /^(\d+):(.*)$/s.exec(text) ?? []
    if (number === undefined) file = nameIn(text)
    return number === undefined ? [] : [{ file, line: Number(number), text: rest }]
  })
}

/** The list of a result in JSON: matches, paths or entries. */
function entriesIn(data: JsonObject): CitedLine[] {
  const list = Object.values(data).find(Array.isArray) ?? []
  return list.map((entry) => {
    const { path = entry, file = path, line, text = '', type } = isJsonObject(entry) ? entry : {}
    const name = `${textIn(file)}${type === 'directory' ? '/' : ''}`
    return { file: belowHere(name), line: (typeof line === 'number' && line) || 0, text: textIn(text) }
  })
}

/** An object becomes an empty text: a server chose its keys, and its own `toString` may be anything but a function. */
function textIn(value: unknown): string {
  return typeof value === 'object' ? '' : String(value)
}

/** A name that does not fit on a line is quoted, and one that looks like a line of a file begins with its folder. */
function nameIn(line: string): string {
  const name = line.startsWith('"') ? parsedJson(line) : line
  return belowHere(typeof name === 'string' ? name : line)
}

function belowHere(name: string): string {
  return name.replace(/^\.\//, '')
}
