import { readContent } from './content-folder.js'
import { loadSession } from './load-session.js'
import { MemorySession } from './memory-session.js'
import { answering, type SessionFault } from './session-fault.js'

export type Copying = { readonly kind: 'copied'; readonly copy: MemorySession } | SessionFault

/**
 * Copies a session into memory, as its file is now. The file is neither locked nor repaired, and additions to the copy
 * are lost when the process ends.
 */
export function copySession(path: string): Promise<Copying> {
  return answering(path, async () => {
    const { log, header, records, notes } = await loadSession(path, { readOnly: true })
    await log.file.close()
    const readText = (hash: string) => readContent(path, hash)
    return { kind: 'copied', copy: new MemorySession({ header, records: records.all, notes, readText }) }
  })
}
