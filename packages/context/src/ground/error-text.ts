import { safeLine } from '@mutsumi/schema'

const maximumLength = 200

/** A reference for use in a message: one line, nothing invisible, limited length. */
export function displayText(text: string): string {
  const visible = safeLine(text.length > maximumLength ? text.slice(0, maximumLength + 1) : text)
  return visible.length > maximumLength ? `${visible.slice(0, maximumLength)}…` : visible
}

/** The text that replaces a target that could not be included. */
export function includeError(reference: string, message: string): string {
  return `> Error including ${displayText(reference)}: ${message}`
}

/** The text that replaces the result of a failed tool. */
export function toolError(name: string, message: string): string {
  return `> Error executing ${displayText(name)}: ${message}`
}
