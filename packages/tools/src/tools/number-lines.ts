/** `12<tab>the line`, each: how every tool shows lines of a text. */
export function numberLines(lines: readonly string[], start: number): string[] {
  return lines.map((line, index) => `${start + index}\t${withoutReturn(line)}`)
}

/** A line of a file from Windows still has the first half of its ending. */
function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
