import type { JsonObject } from '@mutsumi/schema'
import { isJsonObject } from '@mutsumi/schema'
import { scorePath } from './best-paths.js'
import type { CompletionSite } from './completion-site.js'

/** A text that could be inserted at a site. */
export interface Offer {
  /** Replaces the text of the site. */
  readonly text: string
  /** Shown in the list. By default, the text. */
  readonly label?: string
  readonly detail?: string
  /** The place in the text where the cursor goes. By default, its end. */
  readonly cursor?: number
}

/** The facts about a tool that completion uses. */
export interface OfferedTool {
  readonly name: string
  /** The first line says what it does: `Name: …`. */
  readonly prompt: string
  readonly schema?: JsonObject
}

type SiteOf<Kind extends CompletionSite['kind']> = Extract<CompletionSite, { kind: Kind }>

/** A path as `@path`. One that is not plain gets quotes. After a folder, the path can continue. */
export function mentionOffer(path: string, { range }: SiteOf<'mention'>): Offer {
  const isPlain = /^[\p{L}\p{N}\p{M}/._-]+$/u.test(path)
  const written = isPlain ? `@${path}${range}` : `@"${path}"`
  return { text: path.endsWith('/') ? withoutEnd(written, isPlain) : `${written} `, label: path }
}

/** The quote stays open, because more of the path may follow. */
function withoutEnd(written: string, isPlain: boolean): string {
  return isPlain ? written : written.slice(0, -1)
}

/** A path as `@[path]`. */
export function referenceOffer(path: string, { range }: SiteOf<'reference'>): Offer {
  return { text: path.endsWith('/') ? `@[${path}` : `@[${path}${range}]`, label: path }
}

/** Tools whose names match the query, as calls to be filled in. */
export function toolOffers(
  { query, range }: SiteOf<'reference'>,
  tools: readonly OfferedTool[],
): readonly Offer[] {
  if (range !== '' || query.includes('/')) return []
  const wanted = query.toLowerCase()
  return tools.flatMap((tool) => {
    const score = scorePath(tool.name.toLowerCase(), wanted)
    return score === undefined || (score < 0 && wanted !== '') ? [] : [toolOffer(tool)]
  })
}

/** Whether tools come before files, because the query is the beginning of a tool's name. */
export function namesTool({ query }: SiteOf<'reference'>, tools: readonly OfferedTool[]): boolean {
  const wanted = query.toLowerCase()
  return wanted !== '' && tools.some(({ name }) => name.toLowerCase().startsWith(wanted))
}

function toolOffer({ name, prompt, schema }: OfferedTool): Offer {
  const args = skeletonOf(schema ?? {})
  const text = `@[${name}${args}]`
  const firstText = text.indexOf('""')
  const [about = ''] = prompt.split('\n', 1)
  return {
    text,
    label: `${name}${args}`,
    detail: about.replace(`${name}: `, ''),
    ...(firstText === -1 ? {} : { cursor: firstText + 1 }),
  }
}

/** The required arguments of a call, with empty values. If none is required, the first one. */
function skeletonOf({ properties, required }: JsonObject): string {
  const known = isJsonObject(properties) ? properties : {}
  const must = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
  const names = must.length > 0 ? must : Object.keys(known).slice(0, 1)
  const fields = names.map((name) => `${JSON.stringify(name)}:${emptyValue(known[name])}`)
  return `{${fields.join(',')}}`
}

function emptyValue(schema: unknown): string {
  const type = isJsonObject(schema) ? schema.type : undefined
  return typeof type === 'string' && Object.hasOwn(emptyValues, type) ? (emptyValues[type] ?? '""') : '""'
}

const emptyValues: Readonly<Record<string, string>> = {
  string: '""',
  number: '0',
  integer: '0',
  boolean: 'false',
  array: '[]',
  object: '{}',
  null: 'null',
}

/** Macros by name, with their values. */
export type Macros = Readonly<Record<string, string>>

export function macroOffers({ query }: SiteOf<'macro'>, macros: Macros): readonly Offer[] {
  return macroNames(query, macros).map((name) => ({
    text: `{{${name}}}`,
    label: name,
    ...detailOf(macros[name]),
  }))
}

/** The commands, then the names and operators that they take. */
export function commandOffers({ before, query }: SiteOf<'command'>, macros: Macros): readonly Offer[] {
  const [command, name] = before
  const asked = query.toLowerCase()
  if (command === undefined)
    return commands
      .filter(([written]) => written.startsWith(asked))
      .map(([text, detail]) => ({ text, label: text.replace('}', ''), detail }))
  const takes = arguments_[command]
  if (takes === undefined) return []
  if (name === undefined)
    return macroNames(query, macros).map((each) => ({
      text: takes === 'name' ? `${each}}` : `${each} `,
      label: each,
      ...detailOf(macros[each]),
    }))
  if (takes !== 'comparison' || before.length > 2) return []
  return operators
    .filter((operator) => operator.toLowerCase().startsWith(asked))
    .map((operator) => ({ text: `${operator} ""}`, label: operator, cursor: operator.length + 2 }))
}

const commands: readonly (readonly [string, string])[] = [
  ['define ', 'NAME, "value"'],
  ['undef ', 'NAME'],
  ['ifdef ', 'NAME'],
  ['ifndef ', 'NAME'],
  ['if ', 'NAME IS "value"'],
  ['elif ', 'NAME IS "value"'],
  ['else}', ''],
  ['endif}', ''],
]

const arguments_: Readonly<Record<string, 'name' | 'comparison'>> = {
  undef: 'name',
  ifdef: 'name',
  ifndef: 'name',
  if: 'comparison',
  elif: 'comparison',
}

const operators = ['IS', 'ISNT', 'CONTAINS', 'DOESNT_CONTAIN', 'MATCHES', 'DOESNT_MATCH'] as const

function macroNames(query: string, macros: Macros): readonly string[] {
  const wanted = query.toLowerCase()
  return Object.keys(macros)
    .filter((name) => name.toLowerCase().includes(wanted))
    .sort((one, other) => startOrder(one, wanted) - startOrder(other, wanted) || (one < other ? -1 : 1))
}

function startOrder(name: string, wanted: string): number {
  return name.toLowerCase().startsWith(wanted) ? 0 : 1
}

function detailOf(value: string | undefined): Pick<Offer, 'detail'> {
  return value === undefined ? {} : { detail: value }
}
