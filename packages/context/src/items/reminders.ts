import type { MentionedPaths, Reading, SessionCell, Warning } from '@mutsumi/schema'
import type { MacroContext } from '../documents/macro-context.js'
import { nearestPath } from '../documents/nearest-path.js'
import { type UsedMacro, usedMacros } from '../documents/used-macros.js'
import { isDocumentPath, type WorkspaceView } from '../documents/workspace-view.js'
import { displayText } from '../ground/error-text.js'
import { warningWords } from '../ground/warning-words.js'
import { namedMacros, recordedMentions } from '../history/reminder.js'
import { LineIndex } from '../text/line-index.js'
import { resolvePath } from '../text/path.js'
import { InputPreprocessor, type MentionedFiles, type MissingMention } from './input-preprocessor.js'
import { hasPackageForm } from './likely-path.js'

/** The message that is being built. */
export interface RemindedMessage {
  readonly prompt: string
  /** The message was already sent in this round: the cell records which paths its reminder named. */
  readonly sentAs?: SessionCell | undefined
  /** The macros after the prompt. */
  readonly macros: MacroContext
  /** Keys of the files that the message includes in full. They need no reminder. */
  readonly given: ReadonlySet<string>
}

export interface FoundMentions {
  readonly mentioned: MentionedPaths
  readonly warnings: readonly Warning[]
}

/** The files and folders that a prompt mentions. Changes to files during a round do not change its message. */
export async function findMentions(message: RemindedMessage, view: WorkspaceView): Promise<FoundMentions> {
  const { prompt, given, sentAs, macros } = message
  if (sentAs?.content === prompt) return { mentioned: recordedMentions(sentAs), warnings: [] }
  const files = filesByReading(view.root, (path) => view.read(path))
  const { mentions, more, missing } = await new InputPreprocessor(files).process(prompt, { given })
  const told = await macrosIn(mentions, { macros, view })
  return {
    mentioned: {
      paths: mentions,
      ...(more === 0 ? {} : { more }),
      ...(told.names.length > 0 && { macros: told.names }),
    },
    warnings: [
      ...(missing.length === 0 ? [] : await missingWarnings(missing, { prompt, view, files })),
      ...told.warnings,
    ],
  }
}

interface UsedNames {
  /** Of defined macros. */
  readonly names: readonly string[]
  readonly warnings: readonly Warning[]
}

/** The macros that mentioned documents use. Read will show these documents as they are on disk. */
async function macrosIn(
  paths: readonly string[],
  { macros, view }: { readonly macros: MacroContext; readonly view: WorkspaceView },
): Promise<UsedNames> {
  const names = new Set<string>()
  const warnings: Warning[] = []
  for (const path of paths.filter(isDocumentPath)) {
    const reading = await view.read(resolvePath(path, view.root, view.root))
    if (reading.kind !== 'file') continue
    const unknown: UsedMacro[] = []
    for (const macro of usedMacros(reading.text)) {
      if (macros.isDefined(macro.name)) names.add(macro.name)
      else if (!macro.isAsked) unknown.push(macro)
    }
    warnings.push(...unknownWarning(path, reading.text, unknown))
  }
  return { names: [...names].slice(0, namedMacros), warnings }
}

/** One for each document: a template of another program may have many. */
function unknownWarning(path: string, text: string, [first, ...more]: readonly UsedMacro[]): Warning[] {
  if (!first) return []
  const words =
    more.length === 0
      ? warningWords('mention-unknown-macro', displayText(path), first.name)
      : warningWords('mention-unknown-macros', displayText(path), first.name, more.length)
  return [{ code: 'unknown-macro', ...words, source: path, ...new LineIndex(text).locate(first.at) }]
}

/** Looks files up by reading them. So files that a session may not read cannot be mentioned in it. */
export function filesByReading(
  root: string,
  read: (path: string) => Reading | Promise<Reading>,
): MentionedFiles & { readonly root: string } {
  return {
    root,
    async kindOf(path) {
      const reading = await read(`${root === '/' ? '' : root}/${path}`)
      if (reading.kind === 'directory') return 'folder'
      const isThere = reading.kind !== 'fault' || ['BINARY_FILE', 'TOO_LARGE'].includes(reading.code)
      return isThere ? 'file' : undefined
    },
  }
}

interface Searched {
  readonly prompt: string
  readonly view: WorkspaceView
  readonly files: MentionedFiles
}

async function missingWarnings(
  missing: readonly MissingMention[],
  { prompt, view, files }: Searched,
): Promise<Warning[]> {
  const lines = new LineIndex(prompt)
  const warnings: Warning[] = []
  for (const { path, at } of missing) {
    const nearest = await nearestPath(resolvePath(path, view.root, view.root), view)
    if (await isPackage(path, files, nearest)) continue
    const words =
      nearest === undefined
        ? warningWords('mention-missing', displayText(path))
        : warningWords('mention-missing-named', displayText(path), displayText(nearest))
    warnings.push({ code: 'mention-missing', ...words, source: 'prompt', ...lines.locate(at) })
  }
  return warnings
}

/** `@types/node` is a package, not a typo. It need not be installed. */
async function isPackage(path: string, files: MentionedFiles, nearest: string | undefined): Promise<boolean> {
  if (await files.kindOf(`node_modules/@${path}`)) return true
  if (nearest !== undefined || !hasPackageForm(path)) return false
  return (await files.kindOf(path.slice(0, path.indexOf('/')))) === undefined
}
