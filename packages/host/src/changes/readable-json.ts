import { isJsonObject, type Json, type JsonObject } from '@mutsumi/schema'

/** A line of a value for people: the name that it belongs to, indented, and a text. One of the two may be empty. */
export interface ReadableLine {
  readonly label: string
  readonly text: string
}

/**
 * All fields of an object for people, each under its name and nothing as JSON.
 *
 *     {"title":"Two\nlines","tags":["a","b"],"to":{"repo":"x"}}   →   title:
 *                                                                       Two
 *                                                                       lines
 *                                                                     tags: a; b
 *                                                                     to:
 *                                                                       repo: x
 */
export function readableFields(fields: JsonObject, indent = ''): ReadableLine[] {
  return Object.entries(fields).flatMap(([name, value]) => namedLines(name, value, indent))
}

/** The same as text. A list is one block per entry. */
export function readableJson(value: Json): string {
  if (isJsonObject(value)) return textOfLines(readableFields(value))
  if (isListOfParts(value))
    return value.flatMap((each, at) => textOfLines(namedLines(`${at + 1}`, each, ''))).join('\n')
  return plainText(value)
}

function textOfLines(lines: readonly ReadableLine[]): string {
  return lines.map(({ label, text }) => `${label}${text}`.trimEnd()).join('\n')
}

function namedLines(name: string, value: Json, indent: string): ReadableLine[] {
  // A name may come from a model or a server too.
  const label = `${indent}${name.replaceAll('\n', ' ')}: `
  const inner = `${indent}  `
  if (isJsonObject(value)) return [{ label, text: '' }, ...readableFields(value, inner)]
  if (isListOfParts(value))
    return [{ label, text: '' }, ...value.flatMap((each, at) => namedLines(`${at + 1}`, each, inner))]
  const [first = '', ...more] = plainText(value).split('\n')
  if (more.length === 0) return [{ label, text: first }]
  return [{ label, text: '' }, ...[first, ...more].map((text) => ({ label: inner, text }))]
}

function isListOfParts(value: Json): value is readonly Json[] {
  return Array.isArray(value) && value.some((each) => typeof each === 'object' && each !== null)
}

function plainText(value: Json): string {
  return Array.isArray(value) ? value.map(plainText).join('; ') : String(value)
}
