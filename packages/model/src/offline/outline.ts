import { isJsonObject } from '@mutsumi/schema'
import { type Excerpt, passageAt } from './excerpt.js'
import type { Phrases } from './phrases.js'
import { quote } from './quote.js'
import { definedName, isImport } from './rank.js'

/** What a file holds: how long it is, how it begins, and what it defines. */
export function outlineOf(excerpt: Excerpt, say: Phrases): string {
  const { path, lines, totalLines } = excerpt
  if (lines.every((line) => line.trim() === '')) return `${say.outline(path, 0)} ${say.empty}`
  const defined = partsOf(excerpt)
  const begins = quote(beginning(excerpt))
  return [
    say.outline(path, totalLines ?? lines.length),
    `${say.begins}\n${begins}`,
    ...(defined.length === 0 ? [] : [[say.outlineParts, ...defined].join('\n')]),
  ].join('\n\n')
}

const shownLines = 12
const mostParts = 30

/** The first lines; of code the first that say something: a comment, or the first definition. */
function beginning(excerpt: Excerpt): Excerpt {
  const { path, lines, firstLine } = excerpt
  const first = isImport(lines[0] ?? '')
    ? lines.findIndex((line) => !/^\s/.test(line) && !isImport(line) && definedName(line) !== undefined)
    : -1
  if (first > 0) return passageAt(excerpt, (firstLine ?? 1) + first)
  return { path, lines: lines.slice(0, shownLines), ...(firstLine !== undefined && { firstLine }) }
}

function partsOf({ path, lines, firstLine = 1 }: Excerpt): string[] {
  const keys = path.endsWith('.json') ? jsonKeys(lines.join('\n')) : []
  if (keys.length > 0) return keys.slice(0, mostParts).map((key) => `- ${key}`)
  const parts = lines.flatMap((line, index) => {
    const isTop = !/^\s/.test(line) && !isImport(line)
    const name = isTop ? definedName(line) : undefined
    return name === undefined ? [] : [`- \`${path}:${firstLine + index}\` ${name}`]
  })
  return parts.length <= mostParts
    ? parts
    : [...parts.slice(0, mostParts), `- … (${parts.length - mostParts})`]
}

function jsonKeys(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? Object.entries(value).map(([key, entry]) => `${key}: ${short(entry)}`) : []
  } catch {
    // Only a part of it was read, or it has comments.
    return []
  }
}

function short(value: unknown): string {
  if (Array.isArray(value)) return `(${value.length})`
  if (isJsonObject(value))
    return `{ ${Object.keys(value).slice(0, 8).join(', ')}${Object.keys(value).length > 8 ? ', …' : ''} }`
  return String(value).replace(/\s+/g, ' ').slice(0, 80)
}
