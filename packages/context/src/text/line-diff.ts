/** Lines around a change that are shown with it. */
const around = 2

/** Beyond so many compared pairs of lines, all old lines are shown, then all new ones. */
const mostPairs = 1_000_000

/**
 * The change of a text as a unified diff:
 *
 *     @@ -3,2 +3,2 @@
 *      same
 *     -old
 *     +new
 */
export function lineDiff(before: string, after: string): string {
  const [one, other] = [before.split('\n'), after.split('\n')]
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start] === other[start]) start++
  let end = 0
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++
  const changes = middleChanges(one.slice(start, one.length - end), other.slice(start, other.length - end))
  const lead = one.slice(0, start).map((text): Change => ({ sign: ' ', text }))
  const tail = one.slice(one.length - end).map((text): Change => ({ sign: ' ', text }))
  return hunks([...lead, ...changes, ...tail])
}

interface Change {
  readonly sign: ' ' | '-' | '+'
  readonly text: string
}

function middleChanges(one: readonly string[], other: readonly string[]): readonly Change[] {
  const removed = one.map((text): Change => ({ sign: '-', text }))
  const added = other.map((text): Change => ({ sign: '+', text }))
  if (one.length * other.length > mostPairs || one.length * other.length === 0) return [...removed, ...added]
  return longestCommon(one, other)
}

/** By the lengths of the longest common part of every two ends. */
function longestCommon(one: readonly string[], other: readonly string[]): readonly Change[] {
  const width = other.length + 1
  const lengths = new Uint32Array((one.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        one[i] === other[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const changes: Change[] = []
  let [i, j] = [0, 0]
  while (i < one.length || j < other.length) {
    const [old = '', now = ''] = [one[i], other[j]]
    if (i < one.length && j < other.length && old === now) {
      changes.push({ sign: ' ', text: old })
      i++
      j++
    } else if (i < one.length && (j === other.length || at(i + 1, j) >= at(i, j + 1))) {
      changes.push({ sign: '-', text: old })
      i++
    } else {
      changes.push({ sign: '+', text: now })
      j++
    }
  }
  return changes
}

function hunks(changes: readonly Change[]): string {
  const isNear = nearChange(changes)
  const lines: string[] = []
  let [old, now] = [1, 1]
  for (let index = 0; index < changes.length; ) {
    if (!isNear[index]) {
      old++
      now++
      index++
      continue
    }
    let last = index
    while (last < changes.length && isNear[last]) last++
    const hunk = changes.slice(index, last)
    const count = (sign: Change['sign']) => hunk.filter((change) => change.sign !== sign).length
    lines.push(`@@ -${old},${count('+')} +${now},${count('-')} @@`)
    for (const { sign, text } of hunk) lines.push(sign + text)
    old += count('+')
    now += count('-')
    index = last
  }
  return lines.join('\n')
}

function nearChange(changes: readonly Change[]): readonly boolean[] {
  const near = new Array<boolean>(changes.length).fill(false)
  for (const [index, { sign }] of changes.entries())
    if (sign !== ' ')
      for (let at = Math.max(0, index - around); at <= Math.min(changes.length - 1, index + around); at++)
        near[at] = true
  return near
}
