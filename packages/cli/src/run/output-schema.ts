import { type AgentEvent, isJsonObject, type JsonObject, type RoundEndEvent } from '@mutsumi/schema'
import { readFlagFile } from '../flags/flag-file.js'
import { UsageError } from '../terminal/failure.js'
import { say } from '../words/say.js'
import { type CheckedAnswer, compileSchema } from './compile-schema.js'
import correction from './prompts/output-correction.md'
import instruction from './prompts/output-schema.md'

/** The requirements of `--output-schema`. */
export interface OutputSchema {
  /** The instructions for the model. */
  readonly instruction: string
  check(answer: string): CheckedAnswer
}

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
  const name = `--output-schema ${file}`
  const schema = parseSchema(name, readFlagFile('--output-schema', file))
  const check = await compileSchema(name, schema)
  return { instruction: instruction.replace('{{SCHEMA}}', () => JSON.stringify(schema)), check }
}

function parseSchema(name: string, text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    if (isJsonObject(value)) return value
  } catch (error) {
    throw new UsageError(say`${name} is not valid JSON: ${(error as Error).message}`)
  }
  throw new UsageError(say`${name} must contain a JSON object`)
}
