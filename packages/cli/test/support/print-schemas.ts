import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../schema/${name}`, import.meta.url), 'utf8'))

export const eventSchema = read('events.schema.json')

/** The schemas of what programs read, without the right to fields that they do not name: ours must all stand there. */
const ajv = new Ajv2020({ allErrors: true, strictTypes: false })
const validateEvent = ajv.compile(closed(eventSchema))
const validateRun = ajv.compile(closed(read('run.schema.json')))

/** The problems in the lines of `--stream-json`; empty if there are none. */
export function problemsOfEvents(stdout: string): unknown[] {
  return stdout
    .trimEnd()
    .split('\n')
    .flatMap((line) => problems(validateEvent, line))
}

/** The same for the one object of `--json`. */
export function problemsOfRun(stdout: string): unknown[] {
  return problems(validateRun, stdout)
}

function problems(validate: ValidateFunction, text: string): unknown[] {
  return validate(JSON.parse(text)) ? [] : [{ text, errors: validate.errors }]
}

// biome-ignore lint/suspicious/noExplicitAny: a schema is any JSON.
function closed(schema: any): any {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  return inner.properties && schema.type === 'object' ? { additionalProperties: false, ...inner } : inner
}
