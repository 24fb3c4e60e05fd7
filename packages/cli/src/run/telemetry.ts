import type { Tracing } from '@mutsumi/agent'
import type { Model } from '@mutsumi/schema'
import { printError } from '../terminal/output.js'
import { say } from '../words/say.js'

/** Reports a run to an OpenTelemetry collector. */
export interface Telemetry {
  readonly tracing: Tracing
  /** The same model, with each call reported. */
  traced(model: Model): Model
  /** Sends the rest. Never fails, and never waits long for a collector. */
  close(): Promise<void>
}

/** Active only if the user names a collector in OpenTelemetry's own variables. Otherwise nothing is loaded. */
export async function openTelemetry(
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Telemetry | undefined> {
  const variable = endpointVariables.find((name) => environment[name])
  if (variable === undefined || isOff(environment)) return undefined
  const endpoint = environment[variable] ?? ''
  // The exporter would use its default address instead. The given address may contain a password, so it is not shown.
  if (!/^https?:\/\/[^/]/i.test(endpoint) || !URL.canParse(endpoint))
    return untold(say`${variable} is not an http or https address`)
  try {
    const { startTelemetry } = await import('./telemetry-spans.js')
    return startTelemetry(new URL(endpoint).origin)
  } catch (error) {
    if (!isNotInstalled(error)) return untold(error instanceof Error ? error.message : String(error))
    return untold(
      say`OpenTelemetry is not installed; install mutsumi with its optional packages, or unset ${variable}`,
    )
  }
}

/** The variable for traces takes precedence. */
const endpointVariables = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const

function isOff({ OTEL_SDK_DISABLED: disabled, OTEL_TRACES_EXPORTER: exporter }: NodeJS.ProcessEnv): boolean {
  return disabled?.trim().toLowerCase() === 'true' || exporter?.trim() === 'none'
}

function untold(reason: string): undefined {
  printError(say`no traces are sent: ${reason}`)
}

function isNotInstalled(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND'
}
