import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Large enough that collecting it costs little, and small enough to be kept. In bytes, both halves. */
const largeEnough = 3_500_000
/** V8 prints a complaint about a flag that it does not know. These know it. */
const knownVersions = { from: 11, to: 13 }

let isLimited = false

/**
 * Keeps V8's space for new objects from growing once it is large enough. It would grow to 32 MB while a long answer
 * streams, although hardly anything in it lives: that is a third of all memory of a conversation, for a few
 * hundredths of the processor time.
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
