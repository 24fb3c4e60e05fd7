import { readFlagFile } from '../flags/flag-file.js'
import type { OutputSchema } from './output-schema.js'

export interface AdditionFlags {
  readonly appendSystem?: string
  readonly outputSchema?: string
}

/** The text that the flags of a run add to the system prompt, and the requirements for the answer. */
export interface SystemAddition {
  /** Empty if there is nothing. */
  readonly text: string
  readonly output?: OutputSchema
}

export async function readSystemAddition(flags: AdditionFlags): Promise<SystemAddition> {
  const own = flags.appendSystem === undefined ? '' : readFlagFile('--append-system', flags.appendSystem)
  if (flags.outputSchema === undefined) return { text: own }
  const { readOutputSchema } = await import('./output-schema.js')
  const output = await readOutputSchema(flags.outputSchema)
  return { text: [own.trim(), output.instruction].filter((text) => text !== '').join('\n\n'), output }
}
