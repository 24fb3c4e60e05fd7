import { isJsonObject, safeLine } from '@mutsumi/schema'

/** The fields at the top of a document, and the text below. */
export interface SkillText {
  readonly name: string
  readonly description: string
  /** Names of its parameters. */
  readonly params: readonly string[]
  readonly body: string
}

const limits = { frontMatter: 8_000, name: 64, description: 1_024, params: 20 }

/**
 * Reads a `SKILL.md`. A string says what is wrong with it.
 *
 *     ---
 *     name: release        default: the folder's name
 *     description: when and what for
 *     params: [VERSION]    optional
 *     ---
 *     the body
 */
export async function readSkillText(text: string, folder: string): Promise<SkillText | string> {
  const parts = dividedText(text)
  if (parts === undefined) return 'it has no front matter between two lines of ---'
  if (parts.matter.length > limits.frontMatter)
    return `its front matter is longer than ${limits.frontMatter} characters`
  const fields = await parseYaml(parts.matter)
  return typeof fields === 'string' ? fields : readFields(fields, { folder, body: parts.body.trim() })
}

/** The description and parameters in a document's front matter. */
export interface DocumentOutline {
  /** In one line; empty if there is none. */
  readonly description: string
  readonly params: readonly string[]
}

/** Reads what a document says about itself; nothing if it has no front matter that can be read. */
export async function readOutline(text: string): Promise<DocumentOutline> {
  const parts = dividedText(text)
  const fields =
    parts === undefined || parts.matter.length > limits.frontMatter ? '' : await parseYaml(parts.matter)
  if (typeof fields === 'string') return { description: '', params: [] }
  const description = fields.Description ?? fields.description
  return {
    description: typeof description === 'string' ? oneLineOf(description) : '',
    params: paramsIn(fields),
  }
}

function dividedText(text: string): { readonly matter: string; readonly body: string } | undefined {
  const parts = /^---[ \t]*\r?\n(?<matter>[\s\S]*?)(?:^|\n)---[ \t]*(?:\r?\n(?<body>[\s\S]*))?$/m.exec(text)
  if (parts?.index !== 0) return undefined
  const { matter = '', body = '' } = parts.groups ?? {}
  return { matter, body }
}

type Fields = Readonly<Record<string, unknown>>

function readFields(
  fields: Fields,
  { folder, body }: { readonly folder: string; readonly body: string },
): SkillText | string {
  const { name = folder } = fields
  const description = fields.Description ?? fields.description
  if (typeof name !== 'string' || !isName(name))
    return `its name is not a word of letters, digits, dots and dashes (at most ${limits.name} characters)`
  if (typeof description !== 'string' || description.trim() === '') return 'its description is missing'
  return { name, description: oneLineOf(description), params: paramsIn(fields), body }
}

function oneLineOf(description: string): string {
  return safeLine(description.trim().replace(/\s+/g, ' ')).slice(0, limits.description)
}

export function isName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(name) && name.length <= limits.name
}

/** Parameters become macros, so only valid macro names count. */
function paramsIn(fields: Fields): readonly string[] {
  const params = fields.Params ?? fields.params
  if (!Array.isArray(params)) return []
  const names = params.filter((param) => typeof param === 'string' && /^[A-Za-z_]\w{0,63}$/.test(param))
  return [...new Set<string>(names)].slice(0, limits.params)
}

async function parseYaml(text: string): Promise<Fields | string> {
  const { parse } = await import('yaml')
  try {
    // YAML aliases can expand without limit, and no front matter needs them.
    const fields: unknown = parse(text, { maxAliasCount: 0, logLevel: 'error' })
    return isJsonObject(fields) ? fields : 'its front matter is not a list of fields'
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    return `its front matter is not YAML: ${safeLine(line)}`
  }
}
