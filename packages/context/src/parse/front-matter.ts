import { isJsonObject } from '@mutsumi/schema'

export interface FrontMatter {
  readonly description?: string
  readonly params: readonly string[]
}

/** A document cut in two. `bodyStart` is where the body lies in the whole text. */
export interface DividedDocument {
  readonly yaml?: string
  readonly bodyStart: number
  /** The document opens with `---js` or another language: left alone, because only YAML is data. */
  readonly foreignLanguage?: string
}

const maximumYamlLength = 64 * 1024

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

/** What the YAML contributes, or what is wrong with it. */
export async function readFrontMatter(source: string): Promise<FrontMatter | { readonly problem: string }> {
  if (source.length > maximumYamlLength)
    return { problem: `front matter is longer than ${maximumYamlLength / 1024} KiB` }
  // Loaded on demand: most documents have no front matter, and YAML costs a tenth of the start-up.
  const { parse } = await import('yaml')
  try {
    return contribution(parse(source, { maxAliasCount: 50, logLevel: 'silent', schema: 'core' }))
  } catch (error) {
    return { problem: `front matter is not valid YAML: ${firstLine((error as Error).message)}` }
  }
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

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message
}
