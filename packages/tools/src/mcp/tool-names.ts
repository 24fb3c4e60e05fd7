import { hashText } from '../ground/hash-text.js'

/** The longest name that every provider accepts. */
const longestName = 64
const longestServer = 24

interface RawName {
  readonly server: string
  readonly tool: string
}

/**
 * `mcp__server__tool` for each tool, in the given order. If several would get the same name, each gets its own hash,
 * so that none is covered by a rule that the user made for another.
 */
export function toolNames(raw: readonly RawName[]): string[] {
  const plain = raw.map(plainName)
  const count = new Map<string, number>()
  for (const name of plain) count.set(name, (count.get(name) ?? 0) + 1)
  const taken = new Set(plain.filter((name) => count.get(name) === 1))
  return plain.map((name, index) => {
    if (count.get(name) === 1) return name
    const own = hashedName(name, raw[index], taken)
    taken.add(own)
    return own
  })
}

function plainName(raw: RawName): string {
  const name = `mcp__${serverPart(raw.server)}__${clean(raw.tool) || '_'}`
  return name.length > longestName ? withHash(name, raw, 8) : name
}

/**
 * A rule may cover a whole server, `mcp__server__*`. So this part contains no `__`, and a changed name gets a hash, so
 * that no other server's tools begin the same way.
 */
function serverPart(server: string): string {
  const plain = clean(server).replace(/_+/g, '_').replace(/^_|_$/g, '')
  if (plain === server && plain !== '' && plain.length <= longestServer) return plain
  return `${plain.slice(0, longestServer - 9) || 'server'}-${hashText(server).slice(0, 8)}`
}

function clean(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/gu, '_')
}

/** A tool's name may equal another one's hash; then the hash gets longer. */
function hashedName(name: string, raw: RawName | undefined, taken: ReadonlySet<string>): string {
  let length = 8
  while (length < 32 && taken.has(withHash(name, raw, length))) length++
  return withHash(name, raw, length)
}

function withHash(name: string, raw: RawName | undefined, length: number): string {
  const hash = hashText(JSON.stringify([raw?.server, raw?.tool])).slice(0, length)
  return `${name.slice(0, longestName - length - 1)}_${hash}`
}
