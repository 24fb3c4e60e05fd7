import { isJsonObject, type WordedPhrase } from '@mutsumi/schema'
import type { CST, Document, YAMLError } from 'yaml'
import { warningWords } from '../ground/warning-words.js'
import { LineIndex } from './line-index.js'

export interface FrontMatter {
  readonly description?: string
  readonly params: readonly string[]
}

/** A document split into front matter and body. `bodyStart` is the body's offset in the whole text. */
export interface DividedDocument {
  readonly yaml?: string
  readonly bodyStart: number
  /** The document begins with `---js` or another language. It is ignored, because only YAML is data. */
  readonly foreignLanguage?: string
}

/** More than any description and list of parameters needs. */
export const maximumYamlLength = 8 * 1024
const maximumYamlDepth = 50

/** Finds a front matter block: `---` on the first line, up to the next line that is `---` or `...`. */
export function divideDocument(text: string): DividedDocument {
  const opening = /^---([^\n]*)\r?\n/.exec(text)
  if (!opening) return { bodyStart: 0 }
  const language = (opening[1] ?? '').trim()
  if (language !== '') {
    const foreign = /^[A-Za-z][A-Za-z0-9]*$/.test(language)
    return foreign ? { bodyStart: 0, foreignLanguage: language } : { bodyStart: 0 }
  }
  const closing = /^(?:---|\.\.\.)[ \t]*\r?$\n?/gm
  closing.lastIndex = opening[0].length
  const match = closing.exec(text)
  if (!match) return { bodyStart: 0 }
  return { yaml: text.slice(opening[0].length, match.index), bodyStart: match.index + match[0].length }
}

/** The values from the YAML, or what is wrong with it. */
export async function readFrontMatter(
  source: string,
): Promise<FrontMatter | { readonly problem: WordedPhrase }> {
  if (source.length > maximumYamlLength)
    return {
      problem: warningWords('long-front-matter', maximumYamlLength / 1024),
    }
  // Loaded on demand: most documents have no front matter, and YAML costs a tenth of the start-up.
  const yaml = await import('yaml')
  // Composing is recursive, and a stack overflow there can end the whole process. The first pass is not recursive.
  for (const token of new yaml.Parser().parse(source))
    if (isNestedDeeper(token, maximumYamlDepth))
      return { problem: warningWords('deep-front-matter', maximumYamlDepth) }
  // Keys that are collections are written out as strings, which takes cubic time when they nest; comparing each
  // key with every other takes quadratic time, so we look for repeated ones ourselves.
  const options = { schema: 'core', stringKeys: true, uniqueKeys: false, prettyErrors: false } as const
  const document = yaml.parseDocument(source, options)
  const error = document.errors[0] ?? repeatedKey(document, yaml)
  if (error)
    return {
      problem: warningWords('invalid-front-matter', error.message, lineAt(error.pos[0], source)),
    }
  try {
    return contribution(document.toJS({ maxAliasCount: 50 }))
  } catch (error) {
    return { problem: warningWords('unusable-front-matter', (error as Error).message) }
  }
}

function isNestedDeeper(token: CST.Token | null | undefined, levels: number): boolean {
  if (token?.type === 'document') return isNestedDeeper(token.value, levels)
  if (!token || !('items' in token)) return false
  if (levels === 0) return true
  return token.items.some(
    ({ key, value }) => isNestedDeeper(key, levels - 1) || isNestedDeeper(value, levels - 1),
  )
}

/** The first key that its map already has. */
function repeatedKey(
  document: Document.Parsed,
  { visit, isScalar }: typeof import('yaml'),
): Pick<YAMLError, 'message' | 'pos'> | undefined {
  let error: Pick<YAMLError, 'message' | 'pos'> | undefined
  visit(document, {
    Map: (_, { items }) => {
      const keys = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (keys.has(key.value))
          error ??= { message: 'Map keys must be unique', pos: [key.range?.[0] ?? 0, 0] }
        keys.add(key.value)
      }
    },
  })
  return error
}

/** The line in the file, in which the YAML begins on the second line. */
function lineAt(offset: number, source: string): number {
  return new LineIndex(source, 2).locate(offset).line
}

function contribution(value: unknown): FrontMatter {
  if (!isJsonObject(value)) return { params: [] }
  const description = own(value, 'Description') ?? own(value, 'description')
  const params = own(value, 'Params') ?? own(value, 'params')
  return {
    ...(typeof description === 'string' ? { description } : {}),
    params: Array.isArray(params) ? params.filter((param) => typeof param === 'string') : [],
  }
}

function own(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
}
