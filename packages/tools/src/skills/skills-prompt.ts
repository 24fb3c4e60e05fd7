import type { Skill } from './find-skills.js'

const limits = { line: 240, text: 6_000 }

/**
 * The list of skills for the model, one line each; empty if there are none. Descriptions from an untrusted workspace
 * are left out, because they would be among our own words.
 */
export function skillsPrompt(skills: readonly ListedSkill[]): string {
  const trusted = skills.filter((skill) => skill.trusted)
  if (trusted.length === 0) return ''
  const heading = 'Skills. Load one with the Skill tool before you do what it is for.'
  const lines = trusted.some(({ params = [] }) => params.length > 0) ? [heading, aboutParams] : [heading]
  let room = limits.text
  for (const [index, skill] of trusted.entries()) {
    const line = describe(skill)
    room -= line.length
    if (room < 0) return [...lines, `(${trusted.length - index} more are not shown)`].join('\n')
    lines.push(line)
  }
  return lines.join('\n')
}

type ListedSkill = Pick<Skill, 'name' | 'description' | 'trusted'> & Partial<Pick<Skill, 'params'>>

const aboutParams = 'Names in parentheses are its params: {"name": …, "params": {"VERSION": "1.2"}}'

function describe({ name, description, params = [] }: ListedSkill): string {
  const line = `- ${name}${params.length > 0 ? `(${params.join(', ')})` : ''}: ${description}`
  if (line.length <= limits.line) return line
  // Do not split a character.
  return `${line.slice(0, limits.line).replace(/[\ud800-\udbff]$/, '')}…`
}
