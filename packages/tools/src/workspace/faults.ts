import type { LineRange, ReadFault, ReadFaultCode } from '@mutsumi/schema'

// One line each, without the path (the caller adds it) and without the target of a link: a refusal must not reveal
// what is outside.

export const notFound = fault('NOT_FOUND', 'not found')
export const danglingLink = fault('NOT_FOUND', 'is a link to something that does not exist')
export const outside = fault('ACCESS_DENIED', 'is outside the folders this session may read')
export const binaryFile = fault('BINARY_FILE', 'is a binary file')
export const badPath = fault(
  'INVALID_PARAM',
  'is not an absolute path of at most 4096 characters without NUL',
)

const denied = fault('ACCESS_DENIED', 'cannot be read: permission denied')
const circularLink = fault('NOT_FOUND', 'is a link that leads back to itself')
export const longName = fault('INVALID_PARAM', 'has a name that is too long')
const tooManyOpen = fault('INTERNAL_ERROR', 'could not be opened: too many files are open; try again')

export function notRegular(kind: string): ReadFault {
  return fault('ACCESS_DENIED', `is not a regular file (${kind})`)
}

export function imageTooLarge(size: number, limit: number): ReadFault {
  return fault('TOO_LARGE', `is a picture of ${size} bytes; the limit is ${limit}`)
}

export function badRange(range: LineRange): ReadFault {
  return fault(
    'INVALID_PARAM',
    `cannot show ${describe(range)}: lines are counted from 1, and the first must not be after the last`,
  )
}

export function beyondEnd(range: LineRange, lines: number): ReadFault {
  const verb = range.start === range.end ? 'was' : 'were'
  return fault(
    'INVALID_PARAM',
    `has ${lines} ${lines === 1 ? 'line' : 'lines'}; ${describe(range)} ${verb} asked for`,
  )
}

export function beyondScan(range: LineRange, scanned: { lines: number; bytes: number }): ReadFault {
  const reach = `only the first ${scanned.bytes} bytes (${scanned.lines} lines) are searched`
  return fault('TOO_LARGE', `is too large to find ${describe(range)}: ${reach}`)
}

/** Explains a file system error to the reader of a file. */
export function readFaultOf(error: unknown): ReadFault {
  const code = errorCode(error)
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return notFound
    case 'EACCES':
    case 'EPERM':
      return denied
    case 'ELOOP':
    case 'EMLINK':
      return circularLink
    case 'ENXIO':
    case 'EOPNOTSUPP':
      return notRegular('a socket')
    case 'ENAMETOOLONG':
      return longName
    case 'EMFILE':
    case 'ENFILE':
      return tooManyOpen
    default:
      return fault('INTERNAL_ERROR', `could not be read (${code})`)
  }
}

export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}

/** Errors if the file system has no hard links, such as FAT. */
export function hasNoLinks(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(errorCode(error))
}

function fault(code: ReadFaultCode, message: string): ReadFault {
  return Object.freeze({ kind: 'fault', code, message })
}

function describe({ start, end }: LineRange): string {
  return start === end ? `line ${start}` : `lines ${start} to ${end}`
}
