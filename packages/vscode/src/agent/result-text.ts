import { defaultSettings } from '@mutsumi/context'
import { sentResults } from '@mutsumi/context/parts'
import { recordedResult } from '@mutsumi/host'
import { openSession } from '@mutsumi/session/node'

/** A recorded result as the model read it; undefined if the call has none. */
export async function resultText(path: string, call: string): Promise<string | undefined> {
  const opening = await openSession(path, { readOnly: true })
  if (opening.kind !== 'opened') return opening.message
  try {
    const results = sentResults(defaultSettings)
    return recordedResult(opening.file, call, (recorded) => results.text(recorded))?.text
  } finally {
    await opening.file.close()
  }
}

/** A recorded text by its hash. */
export async function recalledText(path: string, hash: string): Promise<string | undefined> {
  const opening = await openSession(path, { readOnly: true })
  if (opening.kind !== 'opened') return opening.message
  try {
    return opening.file.snapshotText(hash)
  } finally {
    await opening.file.close()
  }
}
