import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** The size of both halves in bytes. Collections cost little at this size, and it uses little memory. */
const largeEnough = 3_500_000
/** V8 prints a warning about a flag that it does not know. These versions know it. */
const knownVersions = { from: 11, to: 13 }

let isLimited = false

/**
 * Stops the growth of V8's space for new objects at a reasonable size. It would grow to 32 MB while a long answer
 * streams, although nearly everything in it is garbage. That is a third of a conversation's memory, and saves only a few
 * percent of the processor time.
 */
export function limitYoungSpace(): void {
  if (isLimited) return
  const version = Number.parseInt(process.versions.v8, 10)
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  if (young && young.space_size < largeEnough) return
  isLimited = true
  if (version >= knownVersions.from && version <= knownVersions.to)
    setFlagsFromString('--semi-space-growth-factor=1')
}
