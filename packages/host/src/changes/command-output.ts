import type { ResultCode } from '@mutsumi/agent'
import type { Json, JsonObject, Phrase } from '@mutsumi/schema'

/** The output of a command, as far as its result has it. */
export interface ShownOutput {
  /** Both streams, in the order in which they arrived. */
  readonly text: string
  readonly errors: string
  /** Null if it did not exit by itself. */
  readonly exitCode: number | null
  /** Only the ends of a very long output are known. */
  readonly isCut: boolean
}

/** Undefined if the data is not that of a command. */
export function commandOutput(data: JsonObject): ShownOutput | undefined {
  const { output, exit_code: code, stderr_at: ranges, truncated } = data
  if (code === undefined || typeof output !== 'string') return undefined
  return {
    text: output,
    errors: partsAt(output, ranges),
    exitCode: typeof code === 'number' ? code : null,
    isCut: truncated === true,
  }
}

/** Whether the words about a result say that a command ran and failed. The agent chose them. */
export function isFailedExit({ code, args }: Phrase): boolean {
  return code.startsWith('exit-code' satisfies ResultCode) && args[0] !== '0'
}

function partsAt(output: string, ranges: Json | undefined): string {
  if (!Array.isArray(ranges)) return ''
  return ranges
    .map((range) => {
      const [start, end] = Array.isArray(range) ? range : []
      return typeof start === 'number' && typeof end === 'number' ? output.slice(start, end) : ''
    })
    .join('')
}
