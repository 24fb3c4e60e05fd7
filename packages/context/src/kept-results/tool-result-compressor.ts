import type { CompressionStrength, JsonObject } from '@mutsumi/schema'
import { defaultSettings, type KeptAmounts } from '../ground/settings.js'
import { clipResult } from './clip-result.js'
import { defaultRule, shortenAnything } from './default.js'
import { type GivenResult, keepError, type ResultParts, readGiven } from './given-result.js'
import { contentNames, identityOf, type ToolRule } from './tool-rule.js'
import { ruleOf } from './tool-rules.js'

export interface CompressOptions {
  /** The arguments of the call, if the result does not contain them. */
  readonly args?: JsonObject
  /** `strong` keeps how the call ended and what identifies it, but no content. */
  readonly strength?: Exclude<CompressionStrength, 'clipped'>
}

/**
 * The part of a tool's result that history keeps: compact JSON, never longer than its input, and unchanged if it is
 * already compressed. There is one rule per tool. The full result stays in the store that Recall reads.
 */
export class ToolResultCompressor {
  readonly #amounts: KeptAmounts

  constructor(amounts: KeptAmounts = defaultSettings.kept) {
    this.#amounts = amounts
  }

  /** `result`: a ToolResult, its JSON text, or anything that a foreign tool returned. */
  compress(tool: string, result: unknown, { args = {}, strength = 'normal' }: CompressOptions = {}): string {
    const rule = ruleOf(tool)
    const amounts = this.#amounts
    const kept = this.#shorten(result, [
      (given) => keep(given, rule, { args, amounts }),
      // A very short result may have no room for the call's arguments.
      (given) => keep(given, rule, { args: {}, amounts }),
    ])
    return strength === 'normal' ? kept : this.#shorten(kept, [(given) => identify(given, rule)])
  }

  /**
   * The result as the running round sees it and as Recall returns it: how it ended, all of its data, its error.
   * Nothing is cut.
   */
  observe(tool: string, result: unknown): string {
    const { json, value, result: parts } = readGiven(result)
    if (!parts) return typeof value === 'string' ? json : JSON.stringify(value)
    const { status, data, text, error } = parts
    const content = needsText(tool, parts) && text !== undefined ? { content: text } : {}
    return JSON.stringify({ ...(status && { status }), data: { ...data, ...content }, ...keepError(error) })
  }

  /**
   * At most `characters` characters of a compressed result. It is still JSON and says how the call ended, what it was
   * about, and that it was cut. The shortest object is `{}`.
   */
  clip(tool: string, compressed: string, characters: number): string {
    return clipResult(compressed, { rule: ruleOf(tool), characters })
  }

  /** The first variant that is not longer than the result, as JSON; if there is none, the result itself. */
  #shorten(result: unknown, changes: readonly ((given: GivenResult) => unknown)[]): string {
    const given = readGiven(result)
    try {
      for (const change of [...changes, () => given.value]) {
        const json = JSON.stringify(change(given))
        if (json.length <= given.json.length) return json
      }
      return given.json
    } catch (error) {
      // JSON can be parsed at any depth but written only as deep as the stack allows, so a deeper value stays text.
      if (!(error instanceof RangeError)) throw error
      return JSON.stringify(shortenAnything(given.json, this.#amounts.other))
    }
  }
}

/** Some tools return their content only as text. */
function needsText(tool: string, { status, data }: ResultParts): boolean {
  if (status === 'error') return false
  const rule = ruleOf(tool)
  return (
    (rule === defaultRule || tool === 'Skill') && !Object.keys(data).some((name) => contentNames.has(name))
  )
}

function keep(
  { value, result }: GivenResult,
  rule: ToolRule,
  { args, amounts: kept }: { readonly args: JsonObject; readonly amounts: KeptAmounts },
): unknown {
  if (result) {
    const { status, data, text, error, call } = result
    const failed = status === 'error'
    const about = { data, text, failed, kept, argument: (name: string) => call[name] ?? args[name] }
    return { ...(status && { status }), data: rule.keep(about), ...keepError(error) }
  }
  if (typeof value === 'string' && rule !== defaultRule)
    return {
      data: rule.keep({ data: {}, text: value, failed: false, kept, argument: (name) => args[name] }),
    }
  return shortenAnything(value, kept.other)
}

function identify({ value, result }: GivenResult, rule: ToolRule): unknown {
  if (!result) return sizeOf(value)
  const { status, data, error } = result
  return { ...(status && { status }), data: identityOf(data, rule), ...keepError(error) }
}

/** For a result that is not in our form, only its size is known. */
function sizeOf(value: unknown): JsonObject {
  const known = (value as { readonly characters?: unknown } | null)?.characters
  return { characters: typeof known === 'number' ? known : JSON.stringify(value).length }
}
