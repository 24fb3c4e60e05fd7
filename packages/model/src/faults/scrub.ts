/** Removes secrets from a text. */
export type Scrub = (text: string) => string

const mask = '***'

/**
 * Takes out every secret in the forms it travels in (plain, URL-encoded, base64), and whatever looks like a key of
 * somebody else: providers repeat half of a wrong key in their errors, proxies repeat whole headers.
 */
export function scrubber(secrets: readonly string[]): Scrub {
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((one, other) => other.length - one.length)
  return (text) => {
    let clean = text
    for (const form of forms) if (clean.includes(form)) clean = clean.replaceAll(form, mask)
    for (const pattern of keyLike) clean = clean.replace(pattern, `$1${mask}`)
    return clean
  }
}

/** Real keys are long. What local servers are given instead, `ollama` or `lm-studio`, is a word of the language. */
export function isTelling(secret: string): boolean {
  return secret.length >= 20
}

/** The forms of one secret that can stand in a text. */
export function formsOf(secret: string): string[] {
  if (secret.length < 8) return []
  const json = JSON.stringify(secret).slice(1, -1)
  return [secret, encodeURIComponent(secret), json, ...base64Forms(secret)].filter((form) => form.length >= 8)
}

/**
 * A secret inside something longer that was encoded whole, such as `user:secret`, begins at any of three places
 * within a group of three bytes. What is cut off at both ends also depends on the neighbours.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const end = Math.floor(((bytes.length + offset) * 8) / 6)
    const inner = encoded.slice(Math.ceil((offset * 8) / 6), end)
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

const keyLike = [
  /((?:authorization|proxy-authorization)["']?\s*[:=]\s*["']?(?:bearer|basic)?\s*)[\w.~+/=*-]{6,}/gi,
  /((?:x-api-key|api-key|x-goog-api-key|apikey|api_key)["']?\s*[:=]\s*["']?)[\w.~+/=*-]{6,}/gi,
  /(\bbearer\s+)[\w.~+/=*-]{6,}/gi,
  /([?&](?:key|api_key|access_token|token)=)[^&\s"']+/gi,
  /()\b(?:sk|pk|gsk|xai|hf|r8|nvapi)[-_][\w*-]{6,}/g,
  /()\bAIza[\w-]{10,}/g,
]
