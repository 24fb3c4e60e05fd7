import { basename, dirname } from 'node:path'
import { safeLine, type Warning } from '@mutsumi/schema'
import type { Damage, DecodedSession } from '../codec/session-decoder.js'
import { createWhole, linkOrCopy, replaceWhole, syncFolder } from './atomic-files.js'
import { backupPath, corruptPath } from './companion-paths.js'
import type { LogFile } from './line-log.js'
import { copyRanges, type Range } from './open-file.js'
import { errorCode } from './session-fault.js'

export const damageSetAside = 'damage-set-aside'

/**
 * Removes damaged lines from a file that will be written: their bytes are copied to a separate file, the whole file is
 * kept under another name, and the rest replaces it atomically.
 */
export async function setAside(
  path: string,
  file: LogFile,
  { decoded, size }: { readonly decoded: DecodedSession; readonly size: number },
): Promise<Warning> {
  const now = new Date()
  const damaged = decoded.damage.map(({ offset, length }) => ({
    from: offset,
    to: Math.min(offset + length + 1, size),
  }))
  const corrupt = await copyAside(path, file, { ranges: damaged, now })
  const backup = await keepCopy(path, now)
  await replaceWhole(path, (made) => copyRanges(file, made, between(damaged, decoded.torn?.offset ?? size)))
  return {
    code: damageSetAside,
    source: basename(path),
    line: decoded.damage[0]?.line ?? 1,
    message:
      `${lines(decoded.damage.length)} could not be read (copied to ${safeLine(corrupt)}); ` +
      `the original file is ${safeLine(backup)}.`,
  }
}

/** Copies an incomplete last line, because a person may have written it without a line end. */
export function keepTorn(path: string, file: LogFile, { offset, length }: Damage): Promise<string> {
  return copyAside(path, file, { ranges: [{ from: offset, to: offset + length }], now: new Date() })
}

function copyAside(
  path: string,
  file: LogFile,
  { ranges, now }: { readonly ranges: readonly Range[]; readonly now: Date },
): Promise<string> {
  return unlessPresent(
    (time) => corruptPath(path, time),
    now,
    (place) => createWhole(place, (made) => copyRanges(file, made, ranges), path),
  )
}

/** Keeps the file as it is now under another name. */
export async function keepCopy(path: string, now: Date): Promise<string> {
  const place = await unlessPresent(
    (time) => backupPath(path, time),
    now,
    // The replacement is a new file, so this one stays unchanged under its second name.
    (backup) => linkOrCopy(path, backup),
  )
  await syncFolder(dirname(place))
  return place
}

/** Tries names for one moment after the other until one is free, so that nothing is overwritten. */
export async function unlessPresent(
  name: (time: Date) => string,
  now: Date,
  make: (path: string) => Promise<void>,
): Promise<string> {
  for (let later = 0; ; later++) {
    const path = name(new Date(now.getTime() + later))
    try {
      await make(path)
      return path
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
}

function between(gaps: readonly Range[], end: number): readonly Range[] {
  const starts = [0, ...gaps.map(({ to }) => to)]
  const ends = [...gaps.map(({ from }) => from), end]
  return starts.map((from, index) => ({ from, to: Math.min(ends[index] ?? end, end) }))
}

function lines(count: number): string {
  return count === 1 ? 'One line' : `${count} lines`
}
