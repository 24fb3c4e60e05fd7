import { createContext, Script } from 'node:vm'
import { isJsonObject, type Json, type JsonObject } from '@mutsumi/schema'
import type { CodeOptions, ErrorObject, Options, ValidateFunction } from 'ajv'
import { Failure, UsageError } from '../terminal/failure.js'
import { say } from '../words/say.js'

export type CheckedAnswer = { readonly output: Json } | { readonly problem: string }

/** Ours takes one step a level for reading and a few for checking; the call stack of Node has room for many more. */
const mostLevels = 100
const mostAnswerLevels = 500
/** Reading a schema takes milliseconds, and so does a check. Only a hostile schema or answer takes this long. */
const limitMs = 5_000
/** All problems of a longer answer would be millions: only the first is reported. */
const longAnswer = 256 * 1024
const shownAtMost = 10
const longestProblem = 300

/**
 * Draft 2020-12, or draft 7 if the schema says so. `format` is not checked. The schema may come from a stranger, and the
 * answer comes from a model, so neither can take the process: patterns are matched by RE2, nesting is limited, and
 * everything else has a time limit. `name` names the schema in messages.
 */
export async function compileSchema(
  name: string,
  schema: JsonObject,
): Promise<(answer: string) => CheckedAnswer> {
  if (depthOf(schema, mostLevels) > mostLevels)
    throw new UsageError(say`${name} is nested deeper than ${mostLevels} levels`)
  // Its result would be a promise, which looks like yes.
  if (schema.$async) throw new UsageError(say`${name}: "$async" is not supported`)
  const compile = await compilerOf(schema)
  const first = readSchema(name, schema, () => compile(false))
  let all: ValidateFunction | undefined
  const problemOf = (value: Json, length: number) => {
    if (depthOf(value, mostAnswerLevels) > mostAnswerLevels)
      return `it is nested deeper than ${mostAnswerLevels} levels`
    if (first(value)) return undefined
    if (length > longAnswer) return described(first.errors)
    all ??= compile(true)
    all(value)
    return described(all.errors)
  }
  const check = (answer: string): CheckedAnswer => {
    const read = readJson(answer)
    if (read === undefined) return { problem: 'it is not JSON' }
    const problem = problemOf(read.value, answer.length)
    return problem === undefined ? { output: read.value } : { problem }
  }
  return (answer) => checked(name, () => check(answer))
}

type Compile = (allErrors: boolean) => ValidateFunction

async function compilerOf(schema: JsonObject): Promise<Compile> {
  const isDraft7 = typeof schema.$schema === 'string' && /draft-0[67]/.test(schema.$schema)
  const Validator = isDraft7 ? (await import('ajv')).Ajv : (await import('ajv/dist/2020.js')).Ajv2020
  const { RE2JS } = await import('re2js')
  const linear = (pattern: string) => {
    try {
      const matcher = RE2JS.compile(RE2JS.translateRegExp(pattern))
      // Ajv shares the matchers whose texts are equal.
      return { test: (text: string) => matcher.matcher(text).find(), toString: () => pattern }
    } catch (error) {
      throw new PatternError(pattern, (error as Error).message)
    }
  }
  // Code for programs that are made ahead of time, which we do not make.
  linear.code = ''
  const options: Options = {
    strict: false,
    validateFormats: false,
    logger: false,
    code: { regExp: linear satisfies NonNullable<CodeOptions['regExp']> },
  }
  return (allErrors) => new Validator({ ...options, allErrors }).compile(schema)
}

/** A pattern that RE2 cannot match. */
class PatternError extends Error {
  constructor(
    readonly pattern: string,
    why: string,
  ) {
    super(why)
  }
}

function readSchema(name: string, schema: JsonObject, compile: () => ValidateFunction): ValidateFunction {
  let validate: ValidateFunction
  try {
    validate = limited(compile)
    // A schema that refers to itself alone has no end, whatever the value.
    for (const value of [null, true, 0, '', [], {}]) limited(() => validate(value))
  } catch (error) {
    if (isTooLate(error))
      throw new UsageError(say`${name}: reading this schema takes longer than ${limitMs / 1000} s`)
    if (isEndless(error)) throw new UsageError(endless(name))
    if (error instanceof PatternError) throw new UsageError(unusable(name, schema, error))
    throw new UsageError(say`${name} is not a JSON Schema: ${(error as Error).message}`)
  }
  return validate
}

function checked<Result>(name: string, check: () => Result): Result {
  try {
    return limited(check)
  } catch (error) {
    if (isTooLate(error))
      throw new Failure(say`checking the answer against ${name} takes longer than ${limitMs / 1000} s`)
    if (isEndless(error)) throw new Failure(endless(name))
    throw error
  }
}

function endless(name: string): string {
  return say`${name} refers to itself without an end: a "$ref" leads back to its own place without going into the value`
}

function unusable(name: string, schema: JsonObject, { pattern, message }: PatternError): string {
  const place = placeOf(schema, pattern) ?? ''
  return say`${name}: the pattern ${JSON.stringify(clipped(pattern))} at "#${place}" cannot be used: ${clipped(message)}. Patterns are matched by RE2, which has no look-ahead, look-behind or back-references.`
}

/** The JSON pointer of the first keyword with this pattern. */
function placeOf(value: Json, pattern: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!Array.isArray(value)) {
    const { pattern: own, patternProperties: named } = value as JsonObject
    if (own === pattern) return '/pattern'
    if (isJsonObject(named) && Object.hasOwn(named, pattern)) return '/patternProperties'
  }
  for (const [key, inner] of Object.entries(value)) {
    const below = placeOf(inner as Json, pattern)
    if (below !== undefined) return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}${below}`
  }
  return undefined
}

/** Runs the work in this thread, and ends it when its time is over, even inside a loop or a regular expression. */
function limited<Result>(work: () => Result): Result {
  const context = createContext({ work })
  return new Script('work()').runInContext(context, { timeout: limitMs }) as Result
}

function isTooLate(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}

/** The call stack is full. */
function isEndless(error: unknown): boolean {
  return error instanceof Error && error.name === 'RangeError'
}

/** How deep a value is nested, counted no further than one more than `most`. Without a call for each level. */
function depthOf(value: unknown, most: number): number {
  let level = [value]
  for (let depth = 0; ; depth++) {
    const next: unknown[] = []
    for (const each of level)
      if (typeof each === 'object' && each !== null)
        for (const inner of Object.values(each)) if (typeof inner === 'object') next.push(inner)
    if (!level.some((each) => typeof each === 'object' && each !== null)) return depth
    if (depth > most) return depth
    level = next
  }
}

function described(errors: readonly ErrorObject[] | null | undefined): string {
  const all = errors ?? []
  const lines = all
    .slice(0, shownAtMost)
    .map(({ instancePath, message }) => clipped(`${instancePath || 'it'} ${message}`))
  const more = all.length > shownAtMost ? [`and ${all.length - shownAtMost} more`] : []
  return [...lines, ...more].join('; ')
}

function clipped(text: string): string {
  return text.length > longestProblem ? `${text.slice(0, longestProblem)}…` : text
}

/** The answer as JSON: the whole answer, or its only fenced block. */
function readJson(answer: string): { readonly value: Json } | undefined {
  const fences = [...answer.matchAll(/^(`{3,})(?:json)?[ \t]*\n([\s\S]*?)\n\1[ \t]*$/gim)].map(
    ([, , text = '']) => text,
  )
  for (const text of [answer, ...(fences.length === 1 ? fences : [])])
    try {
      return { value: JSON.parse(text) as Json }
    } catch {
      // Try the other one.
    }
  return undefined
}
