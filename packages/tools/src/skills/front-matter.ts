import { isJsonObject, safeLine } from '@mutsumi/schema'

/** What the top of a `SKILL.md` says, and the text below it. */
export interface SkillText {
  readonly name: string
  readonly description: string
  readonly body: string
}

const limits = { frontMatter: 8_000, name: 64, description: 1_024 }

/**
 * Reads a `SKILL.md`; a string says what is wrong with it.
 *
 *     ---
 *     name: release        the folder's name where absent
 *     description: when and what for
 *     ---
 *     the body
 */
export async function readSkillText(text: string, folder: string): Promise<SkillText | string> {
  const parts = /^---[ \t]*\r?\n(?<matter>[\s\S]*?)(?:^|\n)---[ \t]*(?:\r?\n(?<body>[\s\S]*))?$/m.exec(text)
  if (parts?.index !== 0) return 'it has no front matter between two lines of ---'
  const { matter = '', body = '' } = parts.groups ?? {}
  if (matter.length > limits.frontMatter)
    return `its front matter is longer than ${limits.frontMatter} characters`
  const fields = await parseYaml(matter)
  return typeof fields === 'string' ? fields : readFields(fields, { folder, body: body.trim() })
}

function readFields(
  fields: Readonly<Record<string, unknown>>,
  { folder, body }: { readonly folder: string; readonly body: string },
): SkillText | string {
  const { name = folder, description } = fields
  if (typeof name !== 'string' || !/^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(name) || name.length > limits.name)
    return `its name is not a word of letters, digits, dots and dashes (at most ${limits.name} characters)`
  if (typeof description !== 'string' || description.trim() === '') return 'its description is missing'
  const line = safeLine(description.trim().replace(/\s+/g, ' '))
  return { name, description: line.slice(0, limits.description), body }
}

async function parseYaml(text: string): Promise<Readonly<Record<string, unknown>> | string> {
  const { parse } = await import('yaml')
  try {
    // Aliases are the bombs of YAML, and no front matter needs one.
    const fields: unknown = parse(text, { maxAliasCount: 0, logLevel: 'error' })
    return isJsonObject(fields) ? fields : 'its front matter is not a list of fields'
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    return `its front matter is not YAML: ${safeLine(line)}`
  }
}
