/**
 * Replaces the global `Headers` inside the bundled AI SDK. The SDK only collects a few names in it and reads them again,
 * and the first use of the global one loads all of undici.
 */
export class Headers extends Map {
  constructor(entries = []) {
    super()
    const pairs = typeof entries[Symbol.iterator] === 'function' ? entries : Object.entries(entries)
    for (const [name, value] of pairs) this.set(name, value)
  }

  get(name) {
    return super.get(name.toLowerCase()) ?? null
  }

  has(name) {
    return super.has(name.toLowerCase())
  }

  set(name, value) {
    return super.set(name.toLowerCase(), String(value).trim())
  }

  delete(name) {
    return super.delete(name.toLowerCase())
  }
}
