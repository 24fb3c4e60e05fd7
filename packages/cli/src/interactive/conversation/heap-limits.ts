import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** The size of both halves in bytes. Collections cost little at this size, and it uses little memory. */
const largeEnough = 3_500_000
/** V8 prints a warning about a flag that it does not know. These versions know these flags. */
const knownVersions = { from: 11, to: 13 }

const done = { young: false, old: false }

/**
 * Limits the garbage that V8 lets pile up in a conversation. Call it at any time, as often as you like.
 *
 * The space for new objects would grow to 32 MB while a long answer streams, although nearly everything in it is garbage.
 * That is a third of a conversation's memory, and saves only a few percent of the processor time. The space for old
 * objects would grow to four times what is alive; now a collection begins when it has grown by a quarter.
 */
export function limitHeap(): void {
  if (done.young) return
  const version = Number.parseInt(process.versions.v8, 10)
  if (version < knownVersions.from || version > knownVersions.to) return
  if (!done.old) setFlagsFromString('--heap-growing-percent=25')
  done.old = true
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  if (young && young.space_size < largeEnough) return
  setFlagsFromString('--semi-space-growth-factor=1')
  done.young = true
}
