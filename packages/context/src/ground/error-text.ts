import { safeLine } from '@mutsumi/schema'

const maximumLength = 200

/** A reference as it may stand in a message: one line, nothing invisible, not endless. */
export function displayText(text: string): string {
  const visible = safeLine(text.length > maximumLength ? text.slice(0, maximumLength + 1) : text)
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
