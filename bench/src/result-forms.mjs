// Tokens of the results in real sessions, in every form that could be sent.
import { ToolResultCompressor } from '@mutsumi/context'
import { renderResult } from '@mutsumi/context/parts'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { row } from './report.mjs'

const compressor = new ToolResultCompressor()
const tokensOf = (text) => countTokens(text, { allowedSpecial: new Set() })

/** Compares each form with that of the leanest peer: the text without numbers, headers or reminders. */
export function formRows(sessions) {
  const totals = { log: 0, peer: 0, json: 0, text: 0, 'text-unnumbered': 0 }
  for (const session of sessions) for (const result of resultsIn(session)) add(totals, result)
  const against = (form) => totals[form] / totals.peer
  const detail = (form) => `${(totals[form] / 1e6).toFixed(2)} M tokens of results`
  return [
    row('results as logged, against plain text', against('log'), { unit: 'x' }, detail('log')),
    row('results as JSON, against plain text', against('json'), { unit: 'x' }, detail('json')),
    row('results as text, against plain text', against('text'), { unit: 'x', atMost: 1.1 }, detail('text')),
    row(
      'results as text without numbers, against plain text',
      against('text-unnumbered'),
      { unit: 'x', atMost: 0.97 },
      detail('text-unnumbered'),
    ),
  ]
}

function* resultsIn(session) {
  const calls = new Map()
  for (const message of session) {
    for (const call of message.calls ?? []) calls.set(call.id, call)
    if (message.role === 'tool' && typeof message.text === 'string')
      yield { ...message, args: calls.get(message.id)?.args ?? {} }
  }
}

function add(totals, result) {
  const { name, text } = result
  const content = compressor.observe(name, loggedResult(result))
  totals.log += tokensOf(text)
  totals.peer += tokensOf(plainText(text))
  totals.json += tokensOf(content)
  for (const form of ['text', 'text-unnumbered'])
    totals[form] += tokensOf(renderResult(form, { tool: name, content }))
}

const reminder = /\n*<system-reminder>.*?<\/system-reminder>\n*/gs
const numbered = /^ *(\d+)→/gm

/** The text as a peer that adds nothing would send it. */
export function plainText(text) {
  return text.replace(reminder, '').replace(numbered, '')
}

/** A logged result in the protocol of our tools, as they would have recorded it. */
export function loggedResult({ name, text, error, args }) {
  const plain = text.replace(reminder, '')
  const exit = name === 'Bash' ? /^Exit code (\d+)\n?/.exec(plain) : undefined
  if (exit)
    return {
      status: 'partial',
      data: { command: args.command, exit_code: Number(exit[1]), output: plain.slice(exit[0].length) },
    }
  if (error) return { status: 'error', data: {}, error: { code: 'EXECUTION_ERROR', message: plain } }
  const data = readers[name]?.(plain, args) ?? { content: plain }
  return { status: data.truncated ? 'partial' : 'success', data, text: plain }
}

const readers = {
  Read: (text, { file_path: path, limit }) => ({ path, ...pageIn(text, limit) }),
  Edit: (_, { file_path: path }) => ({ path, applied: true, changed_lines: '1' }),
  Write: (_, { file_path: path }) => ({ path, applied: true, created: true }),
  Bash: (text, { command }) => ({ command, exit_code: 0, output: text }),
  Grep: matchesIn,
  Task: (text, { description }) => ({ description, report: text }),
  TodoWrite: (text) => ({ recap: text }),
  Glob: (text, { pattern }) => ({ pattern, paths: text.split('\n') }),
}

/** The log does not contain the length of the file. If it has as many lines as requested, we assume that more follow. */
function pageIn(text, limit = 2000) {
  const first = /^ *(\d+)→/.exec(text)
  if (!first) return { content: text }
  const content = text.replace(numbered, '$1\t')
  const lines = content.split('\n').length
  const start = Number(first[1])
  const end = start + lines - 1
  const truncated = lines >= limit
  const total = truncated ? end + limit : end
  return { content, start_line: start, end_line: end, total_lines: total, truncated }
}

/** `file:12:a match`, `file-13-a line near it`, `--` between groups. Lists of files and counts are plain text. */
function matchesIn(text, { pattern }) {
  const lines = text.split('\n')
  const found = lines.map((line) => matchIn(line))
  const files = new Set(found.flatMap((match) => match?.file ?? []))
  const matches = []
  let before = []
  let last
  for (const [index, line] of lines.entries()) {
    if (line === '--') last = undefined
    else if (found[index]) {
      last = found[index]
      matches.push(before.length === 0 ? last : Object.assign(last, { before }))
      before = []
    } else {
      const near = nearIn(line, files)
      if (!near) return { pattern, content: text }
      // The lines of a group are adjacent, so lines after a match belong to it.
      if (last) last.after = [...(last.after ?? []), near.text]
      else before.push(near.text)
    }
  }
  return { pattern, matches }
}

function matchIn(line) {
  const [, file, number, text] = /^(.+?):(\d+):(.*)$/.exec(line) ?? []
  return file === undefined ? undefined : { file, line: Number(number), text }
}

/**
 * A name may contain dashes and numbers, so only files that matched somewhere count. For a line near a match the logs
 * name the file by its absolute path, and for a match by its path in the workspace.
 */
function nearIn(line, files) {
  for (const file of files) {
    const start = line.startsWith(`${file}-`) ? 0 : line.startsWith('/') ? line.indexOf(`/${file}-`) + 1 : 0
    const rest = line.startsWith(`${file}-`, start) ? line.slice(start + file.length + 1) : ''
    const [, number, text] = /^(\d+)-(.*)$/.exec(rest) ?? []
    if (number !== undefined) return { file, line: Number(number), text }
  }
  return undefined
}
