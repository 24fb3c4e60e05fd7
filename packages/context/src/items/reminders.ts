import type { MentionedPaths, Reading, SessionCell, Warning } from '@mutsumi/schema'
import { nearestPath } from '../documents/nearest-path.js'
import type { WorkspaceView } from '../documents/workspace-view.js'
import { displayText } from '../ground/error-text.js'
import { warningWords } from '../ground/warning-words.js'
import { recordedMentions } from '../history/reminder.js'
import { LineIndex } from '../text/line-index.js'
import { resolvePath } from '../text/path.js'
import { InputPreprocessor, type MentionedFiles, type MissingMention } from './input-preprocessor.js'
import { hasPackageForm } from './likely-path.js'

/** The message that is being built. */
export interface RemindedMessage {
  readonly prompt: string
  /** The message was already sent in this round: the cell records which paths its reminder named. */
  readonly sentAs?: SessionCell | undefined
  /** Keys of the files that the message includes in full. They need no reminder. */
  readonly given: ReadonlySet<string>
}

export interface FoundMentions {
  readonly mentioned: MentionedPaths
  readonly warnings: readonly Warning[]
}

/** The files and folders that a prompt mentions. Changes to files during a round do not change its message. */
export async function findMentions(message: RemindedMessage, view: WorkspaceView): Promise<FoundMentions> {
  const { prompt, given, sentAs } = message
  if (sentAs?.content === prompt) return { mentioned: recordedMentions(sentAs), warnings: [] }
  const files = filesByReading(view.root, (path) => view.read(path))
  const { mentions, more, missing } = await new InputPreprocessor(files).process(prompt, { given })
  return {
    mentioned: { paths: mentions, ...(more === 0 ? {} : { more }) },
    warnings: missing.length === 0 ? [] : await missingWarnings(missing, { prompt, view, files }),
  }
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
