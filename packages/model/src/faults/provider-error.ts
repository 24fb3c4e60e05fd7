import { isJsonObject, type Json, parsedJson } from '@mutsumi/schema'

/** A provider's description of an error, whatever its format. */
export interface ProviderError {
  readonly message: string
  /** Message, code, type and details on one line, to search for known wordings. */
  readonly words: string
  readonly code?: string
  /** Named in the body, as OpenRouter does inside a stream. */
  readonly status?: number
}

/**
 * Reads an error's body. The forms in use:
 *
 *     {"error": {"message", "type", "code"}}        OpenAI and those who follow it, Anthropic, Google
 *     [{"error": {…}}]                              Google, sometimes
 *     {"error": "…"}                                Ollama, LM Studio
 *     {"message": "…"}  {"detail": "…"}             Mistral, FastAPI
 *     {"response": {"error": {…}}}                  OpenAI, inside a stream
 *     <html>…<title>502 Bad Gateway</title>…        any server in between
 */
export function readProviderError(body: string): ProviderError {
  const json = parsedJson(body)
  return json === undefined ? plainError(body) : providerErrorOf(json)
}

/** The same for an error that is already parsed. */
export function providerErrorOf(value: unknown): ProviderError {
  const outer = Array.isArray(value) ? value[0] : value
  if (!isJsonObject(outer)) return plainError(typeof outer === 'string' ? outer : '')
  const error = innerError(outer)
  if (typeof error === 'string') return { message: error, words: `${error} ${JSON.stringify(outer)}` }
  const code = [error.code, error.type, error.status].find((name) => typeof name === 'string')
  const status = [error.code, error.status, outer.code, outer.status].map(Number).find(isErrorStatus)
  return {
    message: messageOf(error),
    words: `${messageOf(error)} ${JSON.stringify(outer)}`,
    ...(typeof code === 'string' && { code }),
    ...(status !== undefined && { status }),
  }
}

/** Whether a value that should have been a piece of a reply is an error. */
export function looksLikeError(given: unknown): boolean {
  const value: unknown = Array.isArray(given) ? given[0] : given
  if (!isJsonObject(value)) return false
  // Some servers add an empty error to every valid piece.
  if (Array.isArray(value.choices)) return saysSomething(value.error)
  if (value.error !== undefined && value.error !== null) return true
  if (isJsonObject(value.response)) return looksLikeError(value.response)
  return value.choices === undefined && ['message', 'detail'].some((key) => typeof value[key] === 'string')
}

function saysSomething(error: Json | undefined): boolean {
  return isJsonObject(error) ? Object.values(error).some(saysSomething) : Boolean(error)
}

function innerError(outer: { readonly [key: string]: Json }): { readonly [key: string]: Json } | string {
  if (isJsonObject(outer.error)) return outer.error
  if (typeof outer.error === 'string') return outer.error
  if (isJsonObject(outer.response)) return innerError(outer.response)
  return outer
}

function messageOf(error: { readonly [key: string]: Json }): string {
  const said = [error.message, error.detail, error.error_description].find((text) => text !== undefined)
  return typeof said === 'string' ? said : said === undefined ? '' : JSON.stringify(said)
}

function isErrorStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 400 && status < 600
}

function plainError(text: string): ProviderError {
  const title = /<title>([^<]{1,200})<\/title>/i.exec(text.slice(0, 4_000))?.[1]
  const message = title ?? (/^\s*</.test(text) ? '' : text)
  return { message: message.trim(), words: text }
}
