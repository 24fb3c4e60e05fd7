import type { CompressionStrength, JsonObject } from '@mutsumi/schema'
import { clipResult } from './clip-result.js'
import { defaultRule, shortenAnything } from './default.js'
import { type GivenResult, keepError, type ResultParts, readGiven } from './given-result.js'
import { contentNames, identityOf, type ToolRule } from './tool-rule.js'
import { ruleOf } from './tool-rules.js'

export interface CompressOptions {
  /** What the tool was called with, where the result does not say. */
  readonly args?: JsonObject
  /** `strong` keeps how it ended and what identifies the call, and no content. */
  readonly strength?: Exclude<CompressionStrength, 'clipped'>
}

/**
 * What history keeps of a tool's result: compact JSON, never longer than what came in, and the same for what is
 * already compressed. By rules, one a tool; the whole result stays in the store that Recall reads.
 */
export class ToolResultCompressor {
  /** `result`: a ToolResult, its JSON text, or whatever a tool of another program returned. */
  compress(tool: string, result: unknown, { args = {}, strength = 'normal' }: CompressOptions = {}): string {
    const rule = ruleOf(tool)
    const kept = shorten(result, [
      (given) => keep(given, rule, args),
      // In a very short result there may be no room to say what it was called with.
      (given) => keep(given, rule, {}),
    ])
    return strength === 'normal' ? kept : shorten(kept, [(given) => identify(given, rule)])
  }

  /** What the running round sees, and what Recall returns: how it ended, all of its data, its error. Nothing is cut. */
  observe(tool: string, result: unknown): string {
    const { json, value, result: parts } = readGiven(result)
    if (!parts) return typeof value === 'string' ? json : JSON.stringify(value)
    const { status, data, text, error } = parts
    const content = needsText(tool, parts) && text !== undefined ? { content: text } : {}
    return JSON.stringify({ ...(status && { status }), data: { ...data, ...content }, ...keepError(error) })
  }

  /**
   * At most `characters` characters of a compressed result, still JSON that says how it ended, of what, and that it
   * was cut. There is no shorter object than `{}`.
   */
  clip(tool: string, compressed: string, characters: number): string {
    return clipResult(compressed, { rule: ruleOf(tool), characters })
  }
}

/** The first change that makes a result no longer than it is, as JSON; where none does, the result. */
function shorten(result: unknown, changes: readonly ((given: GivenResult) => unknown)[]): string {
  const given = readGiven(result)
  try {
    for (const change of [...changes, () => given.value]) {
      const json = JSON.stringify(change(given))
      if (json.length <= given.json.length) return json
    }
    return given.json
  } catch (error) {
    // JSON is read to any depth but written only as deep as the stack: such a value stays the text that it is.
    if (!(error instanceof RangeError)) throw error
    return JSON.stringify(shortenAnything(given.json))
  }
}

/** Some tools put what they were called for into their text alone. */
function needsText(tool: string, { status, data }: ResultParts): boolean {
  if (status === 'error') return false
  const rule = ruleOf(tool)
  return (
    (rule === defaultRule || tool === 'Skill') && !Object.keys(data).some((name) => contentNames.has(name))
  )
}

function keep({ value, result }: GivenResult, rule: ToolRule, args: JsonObject): unknown {
  if (result) {
    const { status, data, text, error, call } = result
    const failed = status === 'error'
    const about = { data, text, failed, argument: (name: string) => call[name] ?? args[name] }
    return { ...(status && { status }), data: rule.keep(about), ...keepError(error) }
  }
  if (typeof value === 'string' && rule !== defaultRule)
    return {
      data: rule.keep({ data: {}, text: value, failed: false, argument: (name) => args[name] }),
    }
  return shortenAnything(value)
}

function identify({ value, result }: GivenResult, rule: ToolRule): unknown {
  if (!result) return sizeOf(value)
  const { status, data, error } = result
  return { ...(status && { status }), data: identityOf(data, rule), ...keepError(error) }
}

/** Of what is no result of ours only its size can be told. */
function sizeOf(value: unknown): JsonObject {
  const known = (value as { readonly characters?: unknown } | null)?.characters
  return { characters: typeof known === 'number' ? known : JSON.stringify(value).length }
}
