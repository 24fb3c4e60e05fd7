import { InputPreprocessor, type MentionedFiles } from '@mutsumi/context'
import { filesByReading, type MentionPlace } from '@mutsumi/context/parts'
import { type ReadingParts, readAllowed } from './describe-reference.js'

/** The file or folder that a prompt mentions at an offset, as the engine will find it. */
export function mentionAt(
  parts: ReadingParts,
  text: string,
  offset: number,
): Promise<MentionPlace | undefined> {
  const read = (path: string) => readAllowed(parts, path)
  return mentionIn(filesByReading(parts.toolbox.workspace.root, read), text, offset)
}

/** The same among other files. */
export function mentionIn(
  files: MentionedFiles,
  text: string,
  offset: number,
): Promise<MentionPlace | undefined> {
  return new InputPreprocessor(files).placeAt(text, offset)
}
