/** `12<tab>the line` for each line, as all tools show lines of a text. */
export function numberLines(lines: readonly string[], start: number): string[] {
  return lines.map((line, index) => `${start + index}\t${withoutReturn(line)}`)
}

/** A line of a Windows file still has the first half of its line end. */
function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
