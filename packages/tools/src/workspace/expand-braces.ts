/** Nobody writes more by hand, and a few groups in a row would give millions. */
export const alternativeLimit = 256

export interface BraceExpansion {
  readonly alternatives: readonly string[]
  /** False if there are more than are returned. */
  readonly complete: boolean
}

/** `a{b,c{d,e}}` → `ab`, `acd`, `ace`. Braces without a closing one or without a comma are literal. */
export function expandBraces(pattern: string): BraceExpansion {
  const group = firstGroup(pattern)
  if (group === undefined) return { alternatives: [pattern], complete: true }
  const options = group.options.map(expandBraces)
  const end = expandBraces(pattern.slice(group.end))
  const middles = options.flatMap(({ alternatives }) => alternatives).slice(0, alternativeLimit + 1)
  const all = middles.flatMap((middle) =>
    end.alternatives.map((rest) => pattern.slice(0, group.start) + middle + rest),
  )
  return {
    alternatives: all.slice(0, alternativeLimit),
    complete: all.length <= alternativeLimit && [...options, end].every(({ complete }) => complete),
  }
}

interface BraceGroup {
  readonly start: number
  readonly end: number
  readonly options: readonly string[]
}

/** Reads the pattern once: braces that are never closed must not make it read again and again. */
function firstGroup(pattern: string): BraceGroup | undefined {
  const open: { readonly start: number; readonly commas: number[] }[] = []
  let first: BraceGroup | undefined
  for (let at = 0; at < pattern.length; at++) {
    const letter = pattern[at]
    if (letter === '{') open.push({ start: at, commas: [] })
    else if (letter === ',') open.at(-1)?.commas.push(at)
    if (letter !== '}') continue
    const closed = open.pop()
    if (closed && closed.commas.length > 0 && closed.start < (first?.start ?? pattern.length))
      first = { start: closed.start, end: at + 1, options: between(pattern, closed, at) }
    if (first && open.length === 0) return first
  }
  return first
}

function between(
  pattern: string,
  { start, commas }: { readonly start: number; readonly commas: readonly number[] },
  end: number,
): readonly string[] {
  const edges = [start, ...commas, end]
  return edges.slice(1).map((edge, index) => pattern.slice((edges[index] ?? 0) + 1, edge))
}
