import type { DirectoryReading, FileReading, Reading } from '@mutsumi/schema'

/** True if two readings are equal, so that one can replace the other. */
export function sameReading(one: Reading, other: Reading): boolean {
  switch (one.kind) {
    case 'file':
      return other.kind === 'file' && sameFile(one, other)
    case 'directory':
      return other.kind === 'directory' && sameEntries(one, other)
    case 'image':
      return other.kind === 'image' && one.hash === other.hash
    case 'fault':
      return other.kind === 'fault' && one.code === other.code && one.message === other.message
    default:
      return one satisfies never
  }
}

/** How many characters a reading keeps in memory. */
export function textLength(reading: Reading): number {
  switch (reading.kind) {
    case 'file':
      return reading.text.length
    case 'directory':
      return reading.entries.reduce((sum, entry) => sum + entry.name.length, 0)
    case 'image':
      return reading.base64.length
    case 'fault':
      return reading.message.length
    default:
      return reading satisfies never
  }
}

function sameFile(one: FileReading, other: FileReading): boolean {
  return (
    one.hash === other.hash &&
    one.size === other.size &&
    one.truncated === other.truncated &&
    one.lines?.start === other.lines?.start &&
    one.lines?.end === other.lines?.end
  )
}

function sameEntries({ entries }: DirectoryReading, other: DirectoryReading): boolean {
  if (entries.length !== other.entries.length) return false
  return entries.every(({ name, directory }, index) => {
    const twin = other.entries[index]
    return twin?.name === name && twin.directory === directory
  })
}
