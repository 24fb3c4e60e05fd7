import { isJsonObject, type Json, type JsonObject } from '@mutsumi/schema'
import { type Line, span } from '../text/span.js'
import { visibleLine, visibleLines } from '../text/visible-text.js'

/**
 * The arguments of a call for people, all of them, each under its name and nothing as JSON.
 *
 *     {"title":"Two\nlines","tags":["a","b"],"to":{"repo":"x"}}   →   title:
 *                                                                       Two
 *                                                                       lines
 *                                                                     tags: a; b
 *                                                                     to:
 *                                                                       repo: x
 */
export function argumentLines(args: JsonObject, indent = '  '): Line[] {
  return Object.entries(args).flatMap(([name, value]) => namedLines(visibleLine(name), value, indent))
}

function namedLines(name: string, value: Json, indent: string): Line[] {
  const head = span(`${indent}${name}: `, { dim: true })
  const inner = `${indent}  `
  if (isJsonObject(value)) return [[head], ...argumentLines(value, inner)]
  if (Array.isArray(value) && value.some((each) => typeof each === 'object' && each !== null))
    return [[head], ...value.flatMap((each, index) => namedLines(`${index + 1}`, each, inner))]
  const lines = visibleLines(textOf(value))
  if (lines.length === 1) return [[head, span(lines[0] ?? '')]]
  return [[head], ...lines.map((line): Line => [span(inner), span(line)])]
}

function textOf(value: Json): string {
  return Array.isArray(value) ? value.map(textOf).join('; ') : String(value)
}
