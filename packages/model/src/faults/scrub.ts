/** Removes secrets from a text. */
export type Scrub = (text: string) => string

const mask = '***'

/**
 * Removes every secret in the forms in which it is sent (plain, URL-encoded, base64), and everything else that looks
 * like a key: providers repeat half of a wrong key in their errors, proxies repeat whole headers.
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
 * Whether a secret is removed from replies too. A short secret could be a word of the answer, and so could a
 * placeholder such as `ollama` or `lm-studio`.
 */
export function isTelling(secret: string): boolean {
  return secret.length >= longEnough && !isPlaceholder(secret)
}

/** Shorter secrets are removed only as whole words and only from faults. */
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

/** Placeholders that people use if no key is needed. */
const placeholder =
  /^(?:ollama|lm[-_]?studio|llama[-_.]?cpp|vllm|sglang|local(?:host|ai)?|empty|none|null|nil|dummy|fake|test|token|key|api[-_]?key|anything|whatever|placeholder|unused|not[-_]?(?:needed|required|used)|no[-_]?(?:key|auth)(?:[-_]?(?:needed|required))?)$/i

/** The forms in which a secret can occur in a text. */
export function formsOf(secret: string): string[] {
  if (secret.length < longEnough || isPlaceholder(secret)) return []
  const json = JSON.stringify(secret).slice(1, -1)
  const forms = [secret, encodeURIComponent(secret), json, ...base64Forms(secret)]
  return forms.filter((form) => form.length >= longEnough)
}

/**
 * If a secret is part of a longer encoded text, such as `user:secret`, it begins at any of three places within a group
 * of three bytes. The characters at both ends are left out, because they also depend on the neighbours.
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

/** `Basic dXNlcjpwdzE=` contains a name and a password. "Basic authentication" contains neither. */
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
