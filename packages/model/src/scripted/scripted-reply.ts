import {
  type FinishReason,
  isJsonObject,
  type ModelFault,
  type ModelFaultKind,
  type RecordedCall,
  type TokenUsage,
} from '@mutsumi/schema'

/** One reply of a script, in the order in which it is played. */
export interface ScriptedReply {
  readonly expect: readonly (string | RegExp)[]
  readonly delayMs: number
  readonly reasoning: string
  readonly chunks: readonly { readonly text: string; readonly delayMs: number }[]
  readonly calls: readonly RecordedCall[]
  readonly usage?: TokenUsage
  readonly ends: { readonly fault: ModelFault } | { readonly hang: true } | { readonly reason: FinishReason }
}

/** Parses a reply and repeats it as often as it is played. Throws if it is invalid, naming `place`. */
export function decodeReply(value: unknown, place: string): ScriptedReply[] {
  const given = new Given(typeof value === 'string' ? { text: value } : value, place)
  const calls = given.list('calls').map((call, index) => decodeCall(call, index, `${place}, calls`))
  const usage = given.has('usage') ? decodeUsage(given.value('usage'), `${place}, usage`) : undefined
  const reply: ScriptedReply = {
    expect: [given.value('expect') ?? []]
      .flat()
      .map((expected) => decodeExpected(expected, `${place}, expect`)),
    delayMs: given.number('delayMs', 0),
    reasoning: given.text('reasoning', ''),
    chunks: given.has('chunks')
      ? given.list('chunks').map((chunk) => decodeChunk(chunk, `${place}, chunks`))
      : [{ text: given.text('text', ''), delayMs: 0 }],
    calls,
    ends: decodeEnd(given, calls.length > 0, place),
    ...(usage && { usage }),
  }
  given.refuseOthers(known)
  return Array.from({ length: given.number('repeat', 1) }, () => reply)
}

const known = 'text chunks reasoning calls usage finish fault hang delayMs expect repeat'.split(' ')

function decodeEnd(given: Given, hasCalls: boolean, place: string): ScriptedReply['ends'] {
  if (given.value('hang') === true) return { hang: true }
  if (given.has('fault')) return { fault: decodeFault(given.value('fault'), `${place}, fault`) }
  return {
    reason: oneOf(finishReasons, given.text('finish', hasCalls ? 'calls' : 'stop'), `${place}, finish`),
  }
}

function decodeChunk(value: unknown, place: string): ScriptedReply['chunks'][number] {
  const given = new Given(typeof value === 'string' ? { text: value } : value, place)
  given.refuseOthers(['text', 'delayMs'])
  return { text: given.text('text', ''), delayMs: given.number('delayMs', 0) }
}

function decodeCall(value: unknown, index: number, place: string): RecordedCall {
  const given = new Given(value, place)
  given.refuseOthers(['id', 'name', 'args'])
  const args = given.value('args') ?? {}
  if (!isJsonObject(args)) throw new Error(`${place}: args is not an object`)
  return { id: given.text('id', `scripted_${index + 1}`), name: given.text('name'), args }
}

function decodeUsage(value: unknown, place: string): TokenUsage {
  const given = new Given(value, place)
  given.refuseOthers(['input', 'output', 'cached', 'written'])
  return {
    input: given.number('input'),
    output: given.number('output'),
    ...(given.has('cached') && { cached: given.number('cached') }),
    ...(given.has('written') && { written: given.number('written') }),
  }
}

function decodeFault(value: unknown, place: string): ModelFault {
  const given = new Given(value, place)
  given.refuseOthers(['kind', 'message', 'status', 'retryAfterMs'])
  return {
    kind: oneOf(faultKinds, given.text('kind'), `${place}, kind`),
    message: given.text('message', 'a fault from the script'),
    ...(given.has('status') && { status: given.number('status') }),
    ...(given.has('retryAfterMs') && { retryAfterMs: given.number('retryAfterMs') }),
  }
}

function decodeExpected(value: unknown, place: string): string | RegExp {
  if (typeof value === 'string') return value
  const given = new Given(value, place)
  return new RegExp(given.text('regex'), given.text('flags', ''))
}

const finishReasons: readonly FinishReason[] = ['stop', 'calls', 'length', 'filter', 'refusal', 'other']

/** An object, so that the compiler notices a missing kind. */
const faultKinds = Object.keys({
  auth: 0,
  quota: 0,
  'rate-limit': 0,
  overloaded: 0,
  timeout: 0,
  network: 0,
  'not-found': 0,
  'context-too-long': 0,
  'content-filter': 0,
  malformed: 0,
  configuration: 0,
  cancelled: 0,
} satisfies Record<ModelFaultKind, 0>) as ModelFaultKind[]

function oneOf<Word extends string>(words: readonly Word[], word: string, place: string): Word {
  const found = words.find((known) => known === word)
  if (found === undefined) throw new Error(`${place}: "${word}" is not one of ${words.join(', ')}`)
  return found
}

/** An object of a script, read field by field; a field of the wrong type is an error that names it. */
class Given {
  readonly #fields: Readonly<Record<string, unknown>>
  readonly #place: string

  constructor(value: unknown, place: string) {
    if (!isJsonObject(value)) throw new Error(`${place}: not an object`)
    this.#fields = value
    this.#place = place
  }

  has(key: string): boolean {
    return this.#fields[key] !== undefined
  }

  value(key: string): unknown {
    return this.#fields[key]
  }

  text(key: string, other?: string): string {
    const value = this.#fields[key] ?? other
    if (typeof value !== 'string') throw new Error(`${this.#place}: ${key} is not a text`)
    return value
  }

  number(key: string, other?: number): number {
    const value = this.#fields[key] ?? other
    if (typeof value !== 'number' || !(value >= 0)) throw new Error(`${this.#place}: ${key} is not a number`)
    return value
  }

  list(key: string): readonly unknown[] {
    const value = this.#fields[key] ?? []
    if (!Array.isArray(value)) throw new Error(`${this.#place}: ${key} is not a list`)
    return value
  }

  refuseOthers(known: readonly string[]): void {
    const other = Object.keys(this.#fields).find((key) => !known.includes(key))
    if (other !== undefined) throw new Error(`${this.#place}: "${other}" is not one of ${known.join(', ')}`)
  }
}
