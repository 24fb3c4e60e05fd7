import { type Marker, markerAt, nextLine } from './markers.js'

/** The text of a reply before its action, without made-up results, each of which ends at the next thought. */
export class Said {
  /** Word for word. */
  text = ''
  #thought = ''
  #isMadeUp = false

  /** `marker` is the marker at the beginning of the line. */
  pass(line: string, marker: Marker | undefined): void {
    if (marker?.kind === 'thought') this.#isMadeUp = false
    if (marker?.kind === 'observation') this.#isMadeUp = true
    if (this.#isMadeUp) return
    this.text += line
    this.#thought += marker?.kind === 'thought' ? withoutMarker(line, marker) : line
  }

  /** All lines from `start` to `end`. */
  passLines(text: string, start: number, end: number): void {
    for (let at = start; at < end; ) {
      const next = Math.min(nextLine(text, at), end)
      this.pass(text.slice(at, next), markerAt(text, at))
      at = next
    }
  }

  /** Without markers. */
  get thought(): string {
    return this.#thought.trim()
  }
}

function withoutMarker(line: string, { start, end }: Marker): string {
  const lineEnd = line.endsWith('\n') ? '\n' : ''
  return line.slice(end - start, line.length - lineEnd.length).trimStart() + lineEnd
}
