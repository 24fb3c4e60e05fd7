/** Cut in the middle, where paths are least telling, and padded to a width. */
export function fit(text: string, width: number): string {
  const short = displayWidth(text) <= width ? text : shorten(text, width)
  return short + ' '.repeat(Math.max(0, width - displayWidth(short)))
}

function shorten(text: string, width: number): string {
  const characters = [...text]
  const head: string[] = []
  const tail: string[] = []
  let used = 1
  while (characters.length > 0) {
    const fromHead = head.length <= tail.length
    const next = (fromHead ? characters.shift() : characters.pop()) as string
    if (used + displayWidth(next) > width) break
    used += displayWidth(next)
    if (fromHead) head.push(next)
    else tail.unshift(next)
  }
  return `${head.join('')}…${tail.join('')}`
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

/** Columns on a terminal: East Asian letters and emoji take two. */
export function displayWidth(text: string): number {
  let width = 0
  for (const character of text) width += wide.test(character) ? 2 : 1
  return width
}

/** How one column of a table stands. */
export interface Column {
  readonly title: string
  readonly align?: 'right'
  /** What is longer is cut. */
  readonly atMost?: number
}

/** A table for people, its columns as wide as they need to be. The last one is neither cut nor padded. */
export function drawTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const titles = columns.map(({ title }) => title)
  const widths = columns.map(({ atMost = Number.POSITIVE_INFINITY }, index) =>
    Math.min(
      atMost,
      [titles, ...rows].reduce((most, row) => Math.max(most, displayWidth(row[index] ?? '')), 0),
    ),
  )
  const line = (row: readonly string[]) => {
    const cells = columns.map(({ align }, index) => {
      const text = row[index] ?? ''
      const width = widths[index] ?? 0
      if (align === 'right') return ' '.repeat(Math.max(0, width - displayWidth(text))) + text
      return index === columns.length - 1 ? text : fit(text, width)
    })
    return `  ${cells.join('  ')}`.trimEnd()
  }
  return [titles, ...rows].map(line).join('\n')
}
