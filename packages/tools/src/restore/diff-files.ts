import { oneLine } from '../ground/one-line.js'
import { parseTextFile } from '../text-edit/text-file.js'

/** The change of a file, for people. */
export interface FileDiff {
  readonly added: number
  readonly removed: number
  /**
   * A unified diff, cut if it is longer than asked for; empty if the difference cannot be shown, because it is not text or only in line
   * endings.
   */
  readonly diff: string
  /** It is not a text. */
  readonly binary?: true
}

/** Undefined bytes: there is no file. */
export async function diffFiles(
  path: string,
  { before, after }: { readonly before: Uint8Array | undefined; readonly after: Uint8Array | undefined },
  options: { readonly length?: number } = {},
): Promise<FileDiff> {
  const [old, now] = [textOf(before), textOf(after)]
  if (old === undefined || now === undefined) return { added: 0, removed: 0, diff: '', binary: true }
  const { previewDiff } = await import('../text-edit/diff-preview.js')
  const { added, removed, preview } = previewDiff(oneLine(path), old, now, options)
  return { added, removed, diff: preview }
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? '' : parseTextFile(Buffer.from(bytes))?.text
}
