import {
  type AgentEvent,
  isJsonObject,
  type Json,
  type JsonObject,
  type RoundEndEvent,
} from '@mutsumi/schema'
import { readFlagFile } from '../flags/flag-file.js'
import { UsageError } from '../terminal/failure.js'
import correction from './prompts/output-correction.md'
import instruction from './prompts/output-schema.md'

/** The requirements of `--output-schema`. */
export interface OutputSchema {
  /** The instructions for the model. */
  readonly instruction: string
  check(answer: string): CheckedAnswer
}

type CheckedAnswer = { readonly output: Json } | { readonly problem: string }

/** How often a model is asked to correct its answer. */
const corrections = 2

/** Runs a round, with at most the steps that the run has left. */
export type AskRound = (prompt: string, steps: number) => AsyncIterable<AgentEvent>

/**
 * Runs a round, and further ones until the answer matches. Programs see one run with one end and at most `steps`
 * steps.
 */
export async function* askForOutput(
  prompt: string,
  { schema, steps }: { readonly schema: OutputSchema; readonly steps: number },
  ask: AskRound,
): AsyncGenerator<AgentEvent> {
  let question = prompt
  let taken = 0
  for (let left = corrections; ; left--) {
    const before = taken
    let end: RoundEndEvent | undefined
    for await (const event of ask(question, steps - before)) {
      if (event.type === 'request-start') taken = before + event.step
      if (event.type === 'round-end') end = event
      else yield 'step' in event ? { ...event, step: before + event.step } : event
    }
    if (end?.answer === undefined || (end.status !== 'done' && end.status !== 'denied'))
      return yield* ended(end, steps)
    const checked = schema.check(end.answer)
    if ('output' in checked) return yield { ...end, output: checked.output }
    const { problem } = checked
    if (left === 0) return yield { ...end, status: 'failed', message: unmended(problem) }
    if (taken >= steps) return yield { ...end, status: 'failed', message: noStepLeft(steps, problem) }
    yield { type: 'answer-reset', reason: `the answer does not match the schema: ${problem}` }
    question = correction.replace('{{PROBLEM}}', () => problem)
  }
}

/** A round counts its own steps; the user's limit is for the whole run. */
function* ended(end: RoundEndEvent | undefined, steps: number): Generator<AgentEvent> {
  if (!end) return
  const message = end.message?.replace(/^stopped after \d+ steps/, () => `stopped after ${steps} steps`)
  yield message === undefined ? end : { ...end, message }
}

function unmended(problem: string): string {
  return `after ${corrections} corrections the answer still does not match --output-schema: ${problem}`
}

function noStepLeft(steps: number, problem: string): string {
  return `the answer does not match --output-schema, and the run may take only ${steps} ${steps === 1 ? 'step' : 'steps'} (--max-steps): ${problem}`
}

export async function readOutputSchema(file: string): Promise<OutputSchema> {
  const text = readFlagFile('--output-schema', file)
  const schema = parseSchema(file, text)
  const validate = await compile(file, schema)
  return {
    instruction: instruction.replace('{{SCHEMA}}', () => JSON.stringify(schema)),
    check(answer) {
      const read = readJson(answer)
      if (read === undefined) return { problem: 'it is not JSON' }
      const problem = validate(read.value)
      return problem === undefined ? { output: read.value } : { problem }
    },
  }
}

function parseSchema(file: string, text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    if (isJsonObject(value)) return value
  } catch (error) {
    throw new UsageError(`--output-schema ${file} is not valid JSON: ${(error as Error).message}`)
  }
  throw new UsageError(`--output-schema ${file} must contain a JSON object`)
}

type Validate = (value: Json) => string | undefined

const shownAtMost = 10

/** Draft 2020-12, or draft 7 if the schema says so. `format` is not checked. */
async function compile(file: string, schema: JsonObject): Promise<Validate> {
  const isDraft7 = /draft-0[67]/.test(String(schema.$schema ?? ''))
  const options = { allErrors: true, strict: false, validateFormats: false, logger: false } as const
  try {
    const ajv = isDraft7
      ? new (await import('ajv')).Ajv(options)
      : new (await import('ajv/dist/2020.js')).Ajv2020(options)
    const validate = ajv.compile(schema)
    return (value) => {
      if (validate(value)) return undefined
      const all = (validate.errors ?? []).map(
        ({ instancePath, message }) => `${instancePath || 'it'} ${message}`,
      )
      const more = all.length > shownAtMost ? [`and ${all.length - shownAtMost} more`] : []
      return [...all.slice(0, shownAtMost), ...more].join('; ')
    }
  } catch (error) {
    throw new UsageError(`--output-schema ${file} is not a JSON Schema: ${(error as Error).message}`)
  }
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
