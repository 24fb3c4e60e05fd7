/**
 * Ids of calls as every provider takes them: letters, digits, `_` and `-`, at most 64 of them. Ids are changed only
 * where they must be, and no two become one.
 */
export class WireIds {
  readonly #known = new Map<string, string>()
  readonly #used = new Set<string>()

  of(id: string): string {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    const plain = id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'call'
    let wire = plain
    for (let count = 2; this.#used.has(wire); count++) wire = `${plain.slice(0, 64 - 6)}_${count}`
    this.#known.set(id, wire)
    this.#used.add(wire)
    return wire
  }
}
