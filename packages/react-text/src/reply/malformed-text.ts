import prompt from '../prompts/malformed-action.md'

/** The observation for a reply that could not be read. */
export function malformedText(problem: string, name = 'Tool'): string {
  const values: Readonly<Record<string, string>> = { PROBLEM: problem, NAME: name }
  return prompt.trim().replace(/\{\{([A-Z]+)\}\}/g, (whole, key: string) => values[key] ?? whole)
}
