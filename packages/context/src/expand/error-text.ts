// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const unprintable = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g
const maximumLength = 200

/** A reference as it may stand in a message: one line, nothing invisible, not endless. */
export function displayText(text: string): string {
  const visible = text.replace(unprintable, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
  return visible.length > maximumLength ? `${visible.slice(0, maximumLength)}…` : visible
}

/** What stands in the context in place of a target that could not be included. */
export function includeError(reference: string, message: string): string {
  return `> Error including ${displayText(reference)}: ${message}`
}

/** What stands in the context in place of the result of a tool that failed. */
export function toolError(name: string, message: string): string {
  return `> Error executing ${displayText(name)}: ${message}`
}
