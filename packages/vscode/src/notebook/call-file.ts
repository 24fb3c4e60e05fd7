import type { JsonObject } from '@mutsumi/schema'

/** A file that a call names, and the line to look at. */
export interface CallFile {
  readonly path: string
  /** From 1. */
  readonly line?: number
}

/** The file that a call reads or changes; undefined for calls about something else. */
export function callFile(name: string, args: JsonObject): CallFile | undefined {
  if (!onFiles.has(name)) return undefined
  const path = [args.path, args.file_path, args.filePath, args.uri].find((each) => typeof each === 'string')
  if (typeof path !== 'string' || path === '') return undefined
  const line = [args.start_line, args.offset].find((each) => typeof each === 'number' && each > 1)
  return { path, ...(typeof line === 'number' && { line }) }
}

const onFiles: ReadonlySet<string> = new Set(['Read', 'Edit', 'MultiEdit', 'Write'])
