import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { SessionHeader, SessionRecord } from '@mutsumi/schema'
import { encodeHeader, encodeSummed } from '../codec/encode.js'
import { type PartedRecord, partRecord } from '../codec/large-content.js'
import type { UnknownLine } from '../codec/session-decoder.js'
import { writeAll } from './atomic-files.js'
import { writeContent } from './content-folder.js'
import { sealNew, sealOf } from './sealed-lines.js'
import { sha256 } from './sha256.js'

export interface SessionLines {
  readonly header: SessionHeader
  /** Complete, or with the hash of a text that is already in the folder. */
  readonly lines: readonly SessionRecord[]
  /** They keep their content and position. */
  readonly unknown: readonly UnknownLine[]
}

const pieceSize = 1024 * 1024

/** Writes a whole session to a new file; large texts go to the folder of the session at `path`. */
export async function writeSession(
  file: Pick<FileHandle, 'write'>,
  path: string,
  session: SessionLines,
): Promise<void> {
  const seal = sealOf(path) ?? sealNew(path)
  let piece = ''
  let ours: string[] = []
  const write = async () => {
    seal?.add(ours)
    await writeAll(file, Buffer.from(piece))
    piece = ''
    ours = []
  }
  for (const part of parts(session)) {
    for (const file of part.files ?? []) await writeContent(path, file)
    piece += `${part.line}\n`
    if (part.isOurs) ours.push(part.line)
    if (piece.length >= pieceSize) await write()
  }
  await write()
}

interface Part {
  readonly line: string
  readonly isOurs?: boolean
  readonly files?: PartedRecord['files']
}

function* parts({ header, lines, unknown }: SessionLines): Generator<Part> {
  yield { line: encodeHeader(header) }
  let next = 0
  for (const [index, record] of lines.entries()) {
    for (let line = unknown[next]; line && line.after <= index; line = unknown[++next]) yield line
    const { record: parted, files } = partRecord(record, sha256)
    yield { line: encodeSummed(parted, crc32), files, isOurs: record.foreign !== true }
  }
  yield* unknown.slice(next)
}
