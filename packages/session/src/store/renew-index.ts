import { indexOf } from './checked-file.js'
import { loadSession } from './load-session.js'
import { mostIndexedBytes, writeIndex } from './session-index.js'

/** The part of a file that an index may leave out: 1/16 of what it knows. So a growing file is indexed rarely. */
const share = 16

/**
 * Writes the index of a session's file if there is none, or if it leaves out too much. It is made from the file as it is on
 * disk, and a failure does not matter. Call it while the session is locked.
 */
export async function renewIndex(
  path: string,
  { size, indexed }: { readonly size: number; readonly indexed: number },
  least: number,
): Promise<void> {
  if (size < least || size > mostIndexedBytes || size - indexed <= indexed / share) return
  try {
    const options = { readOnly: true, forIndex: true, placesTexts: true } as const
    const { log, checked, ...loaded } = await loadSession(path, options)
    const index = checked && indexOf(path, checked, { ...loaded, rest: checked.rest })
    await log.file.close()
    if (index) await writeIndex(path, index)
  } catch {
    // Without an index, opening takes longer.
  }
}
