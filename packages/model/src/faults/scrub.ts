/** Removes secrets from a text. */
export type Scrub = (text: string) => string

const mask = '***'

/**
 * Takes out every secret in the forms it travels in (plain, URL-encoded, base64), and whatever looks like a key of
 * somebody else: providers repeat half of a wrong key in their errors, proxies repeat whole headers.
 */
export function scrubber(secrets: readonly string[]): Scrub {
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((one, other) => other.length - one.length)
  const words = secrets.filter(isShort).map(wholeWord)
  return (text) => {
    let clean = text
    for (const form of forms) if (clean.includes(form)) clean = clean.replaceAll(form, mask)
    for (const word of words) clean = clean.replace(word, mask)
    for (const pattern of keyLike) clean = clean.replace(pattern, `$1${mask}`)
    return clean.replace(basic, (whole, name: string, value: string) => (isPair(value) ? name + mask : whole))
  }
}

/**
 * Whether a secret is taken out of replies too, where it could be a word of the answer: what is short could, and what
 * local servers are given instead of a key, `ollama` or `lm-studio`, is one.
 */
export function isTelling(secret: string): boolean {
  return secret.length >= longEnough && !isPlaceholder(secret)
}

/** Shorter ones are taken out where they stand alone, and out of faults only. */
const longEnough = 8

function isShort(secret: string): boolean {
  return secret.length >= 3 && secret.length < longEnough && !isPlaceholder(secret)
}

function wholeWord(secret: string): RegExp {
  return new RegExp(`(?<![\\w-])${secret.replace(/[^\w]/g, '\\$&')}(?![\\w-])`, 'g')
}

function isPlaceholder(secret: string): boolean {
  return placeholder.test(secret)
}

/** What people write where a key is asked for and none is needed. */
const placeholder =
  /^(?:ollama|lm[-_]?studio|llama[-_.]?cpp|vllm|sglang|local(?:host|ai)?|empty|none|null|nil|dummy|fake|test|token|key|api[-_]?key|anything|whatever|placeholder|unused|not[-_]?(?:needed|required|used)|no[-_]?(?:key|auth)(?:[-_]?(?:needed|required))?)$/i

/** The forms of one secret that can stand in a text. */
export function formsOf(secret: string): string[] {
  if (secret.length < longEnough || isPlaceholder(secret)) return []
  const json = JSON.stringify(secret).slice(1, -1)
  const forms = [secret, encodeURIComponent(secret), json, ...base64Forms(secret)]
  return forms.filter((form) => form.length >= longEnough)
}

/**
 * A secret inside something longer that was encoded whole, such as `user:secret`, begins at any of three places
 * within a group of three bytes. What is cut off at both ends also depends on the neighbours.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const whole = [bytes.toString('base64'), bytes.toString('base64url')]
  const inside = [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const end = Math.floor(((bytes.length + offset) * 8) / 6)
    const inner = encoded.slice(Math.ceil((offset * 8) / 6), end)
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
  })
  return [...whole, ...inside]
}

/** `Basic dXNlcjpwdzE=`: a name and a password. "Basic authentication" is neither. */
const basic = /\b(basic\s+)([\w+/-]{4,}={0,2})/gi

function isPair(encoded: string): boolean {
  return /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(Buffer.from(encoded, 'base64').toString('latin1'))
}

const keyLike = [
  /((?:authorization|proxy-authorization)["']?\s*[:=]\s*["']?(?:bearer|basic)?\s*)[\w.~+/=*-]{6,}/gi,
  /((?:x-api-key|api-key|x-goog-api-key|apikey|api_key)["']?\s*[:=]\s*["']?)[\w.~+/=*-]{6,}/gi,
  /(\bbearer\s+)[\w.~+/=*-]{6,}/gi,
  /([?&](?:key|api_key|access_token|token)=)[^&\s"']+/gi,
  /()\b(?:sk|pk|gsk|xai|hf|r8|nvapi)[-_][\w*-]{6,}/g,
  /()\bAIza[\w-]{10,}/g,
]
