import { answerIn } from '@mutsumi/react-text'
import { callsOf, type JsonObject, safeLine, textOf } from '@mutsumi/schema'
import { changedLines } from '../kept-results/changed-lines.js'
import { resolvePath } from '../text/path.js'
import { headLine } from '../text/short-text.js'
import { type MadeCall, madeCalls, type RecordedResult } from './made-calls.js'
import type { Round } from './rounds.js'

/** A list with a limit. Entries that did not fit are counted. */
export interface Listed<Entry> {
  readonly entries: readonly Entry[]
  readonly more: number
}

export interface FileRecord {
  /** On one line, without invisible characters. */
  readonly path: string
  /** How often each happened. */
  readonly read: number
  readonly created: number
  readonly edited: number
  /** Changes that began but have no recorded result. */
  readonly interrupted: number
  /** The lines of the last change, if its result names them: `12-15, 40`. */
  readonly lines: string
}

export interface CommandRecord {
  readonly command: string
  readonly count: number
  /** The exit code of the last run; null if it was killed, absent if unknown. */
  readonly exitCode?: number | null
}

export interface ErrorRecord {
  readonly tool: string
  readonly code: string
  readonly message: string
  readonly count: number
}

/** The questions and actions of some rounds, taken from the records without a model. */
export interface RoundRecords {
  readonly rounds: number
  /** The first and the last time that a message was recorded at, ISO 8601. */
  readonly startedAt?: string
  readonly endedAt?: string
  readonly prompts: Listed<string>
  /** In the order in which they were first touched. */
  readonly files: Listed<FileRecord>
  readonly commands: Listed<CommandRecord>
  /** The newest last. */
  readonly todos: Listed<string>
  readonly errors: Listed<ErrorRecord>
}

/** How many entries each list may have. */
export type RecordLimits = Readonly<Record<'prompts' | 'files' | 'commands' | 'todos' | 'errors', number>>

const recordLimits: RecordLimits = { prompts: 200, files: 200, commands: 100, todos: 5, errors: 50 }

export function recordsOf(
  rounds: readonly Round[],
  { limits = recordLimits }: { readonly limits?: RecordLimits } = {},
): RoundRecords {
  const book = new RecordBook()
  for (const round of rounds) {
    book.time(round.startedAt)
    for (const step of round.steps) book.time(step.metadata?.at)
    for (const prompt of saidByUser(round)) book.prompts.push(headLine(prompt, lineLength))
    for (const call of madeCalls(round.steps)) book.call(call)
  }
  return {
    rounds: rounds.length,
    ...book.times(),
    prompts: newestOf(book.prompts, limits.prompts),
    files: filesOf([...book.files.values()], limits.files),
    commands: newestOf([...book.commands.values()], limits.commands),
    todos: newestOf([...book.todos], limits.todos),
    errors: newestOf([...book.errors.values()], limits.errors),
  }
}

/** The prompt of a round, and the messages that steered it. */
function saidByUser({ prompt, steps }: Round): readonly string[] {
  const steering = steps.filter(({ role }) => role === 'user').map(textOf)
  return [prompt, ...steering].filter((text) => text.trim() !== '')
}

/** True if there is no question and no step: an older summary, or blank cells. */
export function isSilent({ prompt, steps }: Round): boolean {
  return prompt.trim() === '' && steps.every(({ role }) => role === 'system')
}

/** The answer that ended a round; undefined if it was interrupted. */
export function finalAnswer({ steps }: Round): string | undefined {
  const spoken = steps.findLast((step) => step.role === 'assistant')
  if (!spoken || callsOf(spoken).length > 0) return undefined
  const text = textOf(spoken)
  const answer = (answerIn(text) ?? '').trim()
  return answer === '' ? undefined : answer
}

/** How much of a prompt, a command or an error is kept. */
const lineLength = 200

/** A record while it is counted. */
type OpenRecord<Closed> = { -readonly [Name in keyof Closed]: Closed[Name] }

class RecordBook {
  readonly prompts: string[] = []
  readonly files = new Map<string, OpenRecord<FileRecord>>()
  /** Here and below: an entry that occurs again moves to the end. */
  readonly commands = new Map<string, CommandRecord>()
  readonly errors = new Map<string, ErrorRecord>()
  readonly todos = new Set<string>()
  #first: RecordedTime | undefined
  #last: RecordedTime | undefined

  time(at: unknown): void {
    const time = recordedTime(at)
    if (!time) return
    if (!this.#first || time.value < this.#first.value) this.#first = time
    if (!this.#last || time.value > this.#last.value) this.#last = time
  }

  times(): Pick<RoundRecords, 'startedAt' | 'endedAt'> {
    return this.#first && this.#last ? { startedAt: this.#first.text, endedAt: this.#last.text } : {}
  }

  call(call: MadeCall): void {
    const { name, result } = call
    if (result?.failed) this.#error(name, result)
    if (name === 'Bash') this.#command(call)
    else if (name === 'TodoWrite') this.#todo(result)
    else if (!result?.failed) this.#file(call)
  }

  #error(tool: string, { error }: RecordedResult): void {
    const code = headLine(error?.code ?? '', 40)
    const message = cleanLine(error?.message ?? '')
    const key = JSON.stringify([tool, code, message])
    const count = (this.errors.get(key)?.count ?? 0) + 1
    moveToEnd(this.errors, key, { tool: cleanLine(tool), code, message, count })
  }

  #command({ args, result }: MadeCall): void {
    const command = textIn(args, 'command') ?? textIn(result?.data, 'command')
    if (command === undefined || command.trim() === '') return
    const shown = cleanLine(command)
    const exitCode = exitCodeOf(result)
    // A refused command never ran; it is listed under errors.
    if (result?.failed && exitCode === undefined && result.error?.code !== 'TIMEOUT') return
    const count = (this.commands.get(shown)?.count ?? 0) + 1
    moveToEnd(this.commands, shown, { command: shown, count, ...(exitCode !== undefined && { exitCode }) })
  }

  #todo(result: RecordedResult | undefined): void {
    const recap = textIn(result?.data, 'recap')
    if (recap === undefined) return
    const shown = cleanLine(recap)
    this.todos.delete(shown)
    this.todos.add(shown)
  }

  #file({ name, args, result }: MadeCall): void {
    const isChange = changingTools.has(name)
    if (!isChange && !(name === 'Read' && result)) return
    if (isChange && isDryRun(args, result?.data)) return
    const path = textIn(result?.data, 'path') ?? textIn(args, 'path') ?? textIn(args, 'file_path')
    if (path === undefined || path.trim() === '') return
    const file = this.#fileAt(recordedPath(path))
    if (!isChange) file.read++
    else if (!result) file.interrupted++
    else {
      if (result.data.created === true) file.created++
      else file.edited++
      file.lines = linesChanged(result.data)
    }
  }

  #fileAt(path: string): OpenRecord<FileRecord> {
    const known = this.files.get(path)
    if (known) return known
    const fresh = { path, read: 0, created: 0, edited: 0, interrupted: 0, lines: '' }
    this.files.set(path, fresh)
    return fresh
  }
}

const changingTools: ReadonlySet<string> = new Set(['Write', 'Edit', 'MultiEdit'])

function moveToEnd<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
}

function newestOf<Entry>(entries: readonly Entry[], limit: number): Listed<Entry> {
  const more = Math.max(0, entries.length - limit)
  return { entries: entries.slice(more), more }
}

/** Files that were changed are kept before those that were only read. */
function filesOf(files: readonly FileRecord[], limit: number): Listed<FileRecord> {
  if (files.length <= limit) return { entries: files, more: 0 }
  const changed = newestOf(files.filter(isChanged), limit).entries
  const read = newestOf(
    files.filter((file) => !isChanged(file)),
    limit - changed.length,
  ).entries
  const kept = new Set([...changed, ...read])
  return { entries: files.filter((file) => kept.has(file)), more: files.length - kept.size }
}

export function isChanged({ created, edited, interrupted }: FileRecord): boolean {
  return created + edited + interrupted > 0
}

interface RecordedTime {
  readonly text: string
  readonly value: number
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/

function recordedTime(at: unknown): RecordedTime | undefined {
  if (typeof at !== 'string' || !isoTime.test(at)) return undefined
  const value = Date.parse(at)
  return Number.isFinite(value) ? { text: at, value } : undefined
}

function textIn(object: JsonObject | undefined, name: string): string | undefined {
  const value = object?.[name]
  return typeof value === 'string' ? value : undefined
}

function exitCodeOf(result: RecordedResult | undefined): number | null | undefined {
  const code = result?.data.exit_code
  return typeof code === 'number' || code === null ? code : undefined
}

function isDryRun(args: JsonObject, data: JsonObject | undefined): boolean {
  return args.dry_run === true || data?.dry_run === true || data?.applied === false
}

/** From the compressed result, `12-15, 40`; if the result was kept whole, from its diff. */
function linesChanged(data: JsonObject): string {
  const diff = textIn(data, 'diff_preview')
  const lines = textIn(data, 'changed_lines') ?? (diff === undefined ? '' : changedLines(diff).changed_lines)
  return headLine(lines ?? '', 60)
}

function cleanLine(text: string): string {
  // Escaping invisible characters makes it longer.
  return headLine(safeLine(headLine(text, lineLength)), lineLength)
}

/** One spelling per file, as far as the path alone shows. */
export function recordedPath(path: string): string {
  const isPlain = path.startsWith('/') || path.startsWith('..')
  const normal = isPlain ? path : resolvePath(path, '', '').slice(1)
  return cleanLine(normal === '' ? '.' : normal)
}
