/**
 * JSON for people, as YAML: long texts are texts, not one line with `\n` in it.
 *
 *     messages:
 *       # 1
 *       - role: system
 *         content: |-
 *           You are Mutsumi.
 *           You work on the user's machine.
 */
export function laidOut(value: unknown): string {
  return `${linesOf(value, '').join('\n')}\n`
}

function linesOf(value: unknown, pad: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => itemLines(item, { pad, number: index + 1 }))
  if (isObject(value)) return Object.entries(value).flatMap(([key, each]) => entryLines(key, each, pad))
  return [`${pad}${scalar(value)}`]
}

function itemLines(item: unknown, { pad, number }: { pad: string; number: number }): readonly string[] {
  // Only the messages of a request are numbered, and their tools.
  const mark = pad === '  ' && isObject(item) ? [`${pad}# ${number}`] : []
  if (isLeaf(item)) return [...mark, ...valueLines(`${pad}-`, item, pad)]
  const [first = '', ...rest] = linesOf(item, `${pad}  `)
  return [...mark, `${pad}- ${first.trimStart()}`, ...rest]
}

function entryLines(key: string, value: unknown, pad: string): readonly string[] {
  const name = `${pad}${/^[\w-]+$/.test(key) ? key : JSON.stringify(key)}:`
  const inside = key === 'arguments' ? objectIn(value) : undefined
  if (inside) return [`${name} # a text that contains JSON`, ...linesOf(inside, `${pad}  `)]
  return isLeaf(value) ? valueLines(name, value, pad) : [name, ...linesOf(value, `${pad}  `)]
}

/** Calls have their arguments as a text. */
function objectIn(value: unknown): object | undefined {
  try {
    const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : undefined
    return isObject(parsed) && Object.keys(parsed).length > 0 ? parsed : undefined
  } catch {
    // The model wrote something else.
    return undefined
  }
}

function valueLines(name: string, value: unknown, pad: string): readonly string[] {
  if (typeof value !== 'string' || !value.includes('\n') || !isBlock(value))
    return [`${name} ${scalar(value)}`]
  const ends = /\n*$/.exec(value)?.[0].length ?? 0
  const text = ends === 0 ? value : value.slice(0, -1)
  const spaces = /^\s/.test(value) ? '2' : ''
  const block = text.split('\n').map((line) => (line === '' ? '' : `${pad}  ${line}`))
  return [`${name} |${spaces}${ends === 0 ? '-' : ends === 1 ? '' : '+'}`, ...block]
}

/** Characters that hide or reorder text, and texts of nothing but line ends, are written with escapes. */
function isBlock(text: string): boolean {
  return text.trim() !== '' && !hiding.test(text)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const hiding = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/
const hidingAll = new RegExp(hiding, 'g')

/** Longer texts without a space are pictures. */
const longestWord = 2000

function scalar(value: unknown): string {
  if (Array.isArray(value)) return '[]'
  if (isObject(value)) return '{}'
  if (typeof value !== 'string') return JSON.stringify(value) ?? 'null'
  const isCut = value.length > longestWord && !value.includes(' ')
  const shown = JSON.stringify(isCut ? `${value.slice(0, 100)}…` : value)
  const escaped = shown.replace(hidingAll, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return isCut ? `${escaped} # ${value.length} characters, cut here` : escaped
}

function isLeaf(value: unknown): boolean {
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
