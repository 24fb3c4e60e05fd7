import type { ImageMediaType } from './image.js'

/** 1-based and inclusive. */
export interface LineRange {
  readonly start: number
  readonly end: number
}

/** A text file, decoded. A reader returns the very same object until the file changes on disk. */
export interface FileReading {
  readonly kind: 'file'
  readonly text: string
  /** SHA-256 of `text` in UTF-8, hexadecimal. */
  readonly hash: string
  /** Bytes on disk. */
  readonly size: number
  /** `text` is only the beginning, cut at a line end. */
  readonly truncated: boolean
  /** `text` contains only these lines, because the file was too large to read whole. */
  readonly lines?: LineRange
  /** Bytes before the end of these lines: the cost of finding them. */
  readonly scanned?: number
}

export interface DirectoryReading {
  readonly kind: 'directory'
  /** Folders first, each group sorted by code unit. */
  readonly entries: readonly { readonly name: string; readonly directory: boolean }[]
}

export interface ImageReading {
  readonly kind: 'image'
  readonly mediaType: ImageMediaType
  readonly base64: string
  readonly hash: string
  readonly size: number
}

export type ReadFaultCode =
  | 'NOT_FOUND'
  | 'ACCESS_DENIED'
  | 'BINARY_FILE'
  | 'INVALID_PARAM'
  | 'TOO_LARGE'
  | 'INTERNAL_ERROR'

/** Why nothing was read. `message` says what is wrong and, if possible, how to fix it. */
export interface ReadFault {
  readonly kind: 'fault'
  readonly code: ReadFaultCode
  readonly message: string
  /** Bytes that were searched for lines without success. */
  readonly scanned?: number
}

export type Reading = FileReading | DirectoryReading | ImageReading | ReadFault

export interface ReadOptions {
  /** Folders that may be read, as `file:` URIs or absolute paths. */
  readonly allowed: readonly string[]
  /** Longer text is cut at a line end. */
  readonly maxBytes: number
  /** Larger pictures are refused. */
  readonly maxImageBytes: number
  /** For a file larger than `maxBytes`, the reader returns just these lines. Smaller files are returned whole. */
  readonly lines?: LineRange
}

export interface GlobOptions {
  readonly allowed: readonly string[]
  /** How many paths to return; `total` counts them all. */
  readonly limit: number
}

export interface GlobResult {
  /** Absolute POSIX paths, sorted. */
  readonly paths: readonly string[]
  readonly total: number
  /**
   * Why there may be more than `total`: which part was not searched, and what to do. Absent if everything was
   * searched.
   */
  readonly incomplete?: string
}
