import type { Skill } from './find-skills.js'

const limits = { line: 240, text: 6_000 }

/**
 * Tells the model which skills there are, a line each; empty where there is none. What a workspace that is not
 * trusted says of itself stays out: it would stand among our own words.
 */
export function skillsPrompt(skills: readonly Pick<Skill, 'name' | 'description' | 'trusted'>[]): string {
  const trusted = skills.filter((skill) => skill.trusted)
  if (trusted.length === 0) return ''
  const lines = ['Skills. Load one with the Skill tool before you do what it is for.']
  let room = limits.text
  for (const [index, skill] of trusted.entries()) {
    const line = describe(skill)
    room -= line.length
    if (room < 0) return [...lines, `(${trusted.length - index} more are not shown)`].join('\n')
    lines.push(line)
  }
  return lines.join('\n')
}

function describe({ name, description }: Pick<Skill, 'name' | 'description'>): string {
  const line = `- ${name}: ${description}`
  if (line.length <= limits.line) return line
  // Not through the middle of a character.
  return `${line.slice(0, limits.line).replace(/[\ud800-\udbff]$/, '')}…`
}
