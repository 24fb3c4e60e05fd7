import type { FileChange } from '@mutsumi/schema'
import type { FileRestorer } from '@mutsumi/tools/parts'

/** Names of files that one note has room for. */
const mostNamed = 5

/** Describes the changes that undo cannot take back. */
export function unrestoredNotes(
  files: readonly FileChange[],
  restorer: Pick<FileRestorer, 'refusal'>,
  unseen: string | undefined,
): readonly string[] {
  const byReason = new Map<string, string[]>()
  for (const { path, before } of files) {
    const reason = before?.lost === undefined ? restorer.refusal(path) : 'is not kept as it was'
    if (reason !== undefined) byReason.set(reason, [...(byReason.get(reason) ?? []), path])
  }
  return [
    ...(unseen === undefined ? [] : [`undo cannot bring back what this command changed: ${unseen}`]),
    ...[...byReason].map(
      ([reason, paths]) =>
        `undo cannot bring this back: ${listed(paths)}${paths.length > mostNamed ? ', each' : ''} ${reason}`,
    ),
  ]
}

/** Names of files for people, the first ones in full. */
export function listed(paths: readonly string[], most = mostNamed): string {
  const named = paths.slice(0, most).map((path) => JSON.stringify(path))
  const more = paths.length - named.length
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '')
}
