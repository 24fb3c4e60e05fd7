import { hash } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { ToolErrorCode } from '@mutsumi/schema'
import { fail, type ToolContext, type ToolOutcome } from '../contract/define-tool.js'
import { notAPath, type PathArgument, parsePathArgument, refuse } from '../contract/path-argument.js'
import { oneLine } from '../ground/one-line.js'
import { outcomeText } from '../reasons/outcome.js'
import { hasJournals, noteOwnPlace } from '../sandbox/own-places.js'
import { formatTextFile, parseTextFile, type TextFile } from '../text-edit/text-file.js'
import { changeLimit, type LoadedFile } from '../workspace/load-file.js'
import { isInside, relativeTo } from '../workspace/paths.js'
import { realPathOrPlanned, splitAtMissing } from '../workspace/real-path.js'

export interface ChangeRequest {
  readonly path: string
  readonly dry_run: boolean
}

/** The new content of a file, or why it cannot be changed. */
export type Change =
  | { readonly kind: 'change'; readonly after: TextFile; readonly replacements: number }
  | { readonly kind: 'refused'; readonly reason: string; readonly code?: 'NOT_FOUND' }

/** Chooses the new content of a file; `before` is undefined if there is no file yet. */
export type Decide = (before: TextFile | undefined) => Change

/**
 * Changes a file whose current content the model knows: loads it, lets `decide` choose the new content, and replaces
 * the file.
 */
export async function changeFile(
  { path: named, dry_run }: ChangeRequest,
  context: ToolContext,
  decide: Decide,
): Promise<ToolOutcome> {
  const path = parsePathArgument(named, context.workspace.root)
  if (path === undefined) return notAPath(named)
  const { previewDiff } = await import('../text-edit/diff-preview.js')
  if (context.signal?.aborted) return cancelled

  const place = context.places?.get(named)
  const known = loadKnown(path, place, context)
  if ('status' in known) return known
  const change = decide(known.before)
  if (change.kind === 'refused') return refuseChange(path, change.reason, change.code)
  const applied = dry_run ? undefined : await apply(path, { context, known, place, after: change.after })
  if (applied && 'status' in applied) return applied
  const length = context.wholeDiff ? { length: Number.POSITIVE_INFINITY } : {}
  const diff = previewDiff(oneLine(path.shown), known.before?.text ?? '', change.after.text, length)
  return describe(path, { dry_run, ...diff, created: known.before === undefined, ...change, ...applied })
}

/** The failure of a change that is not made. */
export async function changeFailure(
  request: ChangeRequest,
  context: ToolContext,
  decide: Decide,
): Promise<ToolOutcome | undefined> {
  const outcome = await changeFile({ ...request, dry_run: true }, context, decide)
  return outcome.status === 'error' ? outcome : undefined
}

const cancelled = fail('EXECUTION_ERROR', outcomeText('cancelled'))

/** A file on disk, unchanged since the model saw it. Both are undefined if there is none. */
interface KnownFile {
  readonly loaded: LoadedFile | undefined
  readonly before: TextFile | undefined
}

function loadKnown(
  path: PathArgument,
  place: string | undefined,
  { workspace, allowed, memory }: ToolContext,
): KnownFile | ToolOutcome {
  const loaded = workspace.load(path.absolute, { allowed, place, maxBytes: changeLimit })
  if (loaded.kind === 'directory')
    return fail('IS_DIRECTORY', outcomeText('about', oneLine(path.shown), outcomeText('is-directory')))
  if (loaded.kind === 'fault')
    return loaded.code === 'NOT_FOUND' ? { loaded: undefined, before: undefined } : refuse(path, loaded)
  const before = parseTextFile(loaded.bytes)
  if (before === undefined)
    return fail('BINARY_FILE', outcomeText('about', oneLine(path.shown), outcomeText('binary-file')))
  const seen = memory.files.lastSeen(loaded.realPath)
  if (seen === undefined) return refuseChange(path, outcomeText('read-first'))
  if (seen.hash !== loaded.hash)
    return fail('CONFLICT', outcomeText('about', oneLine(path.shown), outcomeText('changed-since')))
  return { loaded, before }
}

interface Application {
  readonly context: ToolContext
  readonly known: KnownFile
  readonly place: string | undefined
  readonly after: TextFile
}

interface Applied {
  readonly mtimeMs: number
  readonly notes: readonly string[]
}

/** The old content is saved first. If somebody changes the file meanwhile, nothing is written. */
async function apply(
  path: PathArgument,
  { context, known, place, after }: Application,
): Promise<ToolOutcome | Applied> {
  const { workspace, allowed, memory, signal } = context
  const bytes = formatTextFile(after)
  const notes = await keep(path, bytes, { context, known, place })
  const made = folderToMake(place ?? path.absolute)
  if (signal?.aborted) return cancelled
  const written = workspace.replace(path.absolute, { allowed, place, expected: known.loaded, bytes })
  if (written.kind === 'fault') return refuse(path, written)
  const { realPath, mtimeMs, size } = written
  noteOwnFile(realPath, made)
  memory.files.saw(realPath, { mtimeMs, size, hash: hash('sha256', bytes, 'hex') })
  return { mtimeMs, notes }
}

async function keep(
  path: PathArgument,
  bytes: Buffer,
  { context, known: { loaded }, place }: Omit<Application, 'after'>,
): Promise<readonly string[]> {
  const { workspace, changes } = context
  const real = loaded?.realPath ?? place ?? realPathOrPlanned(path.absolute)
  if (changes === undefined || real === undefined) return []
  const after = { hash: hash('sha256', bytes, 'hex'), mode: loaded?.mode ?? 0o666 & ~process.umask() }
  if (loaded?.hash === after.hash) return []
  const made = folderToMake(real)
  const shown = (absolute: string) => relativeTo(workspace.root, absolute)
  return changes.changed([
    { path: shown(real), before: loaded, after, ...(made !== undefined && { made: shown(made) }) },
  ])
}

/** The topmost missing folder on the way to a file. */
function folderToMake(file: string): string | undefined {
  const { found, missing } = splitAtMissing(dirname(file))
  const [first] = missing.split('/')
  return first ? join(found, first) : undefined
}

/** Folders that were made for it, too: one of them may have a protected name. */
function noteOwnFile(file: string, made: string | undefined): void {
  if (!hasJournals()) return
  noteOwnPlace(file)
  for (let at = dirname(file); made !== undefined && isInside(made, at); at = dirname(at)) noteOwnPlace(at)
}

function refuseChange(
  path: PathArgument,
  reason: string,
  code: ToolErrorCode = 'INVALID_PARAM',
): ToolOutcome {
  return fail(code, `${oneLine(path.shown)}: ${reason}`)
}

interface Done {
  readonly dry_run: boolean
  readonly created: boolean
  readonly preview: string
  readonly changedLines: string
  readonly after: TextFile
  readonly replacements: number
  /** The hash of the file now; absent if nothing was written. */
  readonly mtimeMs?: number
  /** A note for the user. */
  readonly notes?: readonly string[]
}

function describe(path: PathArgument, done: Done): ToolOutcome {
  const { dry_run, created, replacements, preview, changedLines, mtimeMs, notes = [] } = done
  const data = {
    path: path.shown,
    applied: !dry_run,
    dry_run,
    created,
    replacements,
    // All lines of a new file are new.
    ...(!created && changedLines !== '' && { changed_lines: changedLines }),
    ...(mtimeMs !== undefined && { file_mtime_ms: Math.trunc(mtimeMs) }),
    ...(notes.length > 0 && { notes: [...notes] }),
    diff_preview: preview,
  }
  // The model has just written the whole new file, so it need not read it again.
  const diff = created ? [] : [preview || '(no difference)']
  const text = [headline(oneLine(path.shown), done), ...notes.map((note) => `(${note})`), ...diff].join('\n')
  return { status: dry_run ? 'partial' : 'success', data, text }
}

function headline(path: string, { dry_run, created, after, replacements }: Done): string {
  const lines = after.text.split('\n').length - (after.text.endsWith('\n') || after.text === '' ? 1 : 0)
  const what = created
    ? outcomeText(lines === 1 ? 'created-line' : 'created-lines', path, lines)
    : outcomeText(replacements === 1 ? 'changed-once' : 'changed-often', path, replacements)
  return dry_run ? outcomeText('dry-run', what) : what
}
