import type { Agent } from 'node:http'
import { safeLine } from '@mutsumi/schema'
import { readOwnBytes } from '@mutsumi/tools/parts'
import type { Tracer } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import { printError } from '../terminal/output.js'
import { say } from '../words/say.js'

// Inserted by the build.
declare const MUTSUMI_VERSION: string

/** How long the end of a run waits for a collector. */
const patienceMs = 1000
/** Shorter than the exporter's pause before a second try (800 ms), so that a run does not wait for one. */
const timeoutMillis = 750

/**
 * Sends spans in the background, and the rest at the end. Address, headers, certificates and the service's name come
 * from OpenTelemetry's own variables. A failure is reported in one line.
 */
export function openTelemetryExport(collector: string): { tracer: Tracer; close(): Promise<void> } {
  // The exporter opens these files too, and would wait for a pipe for ever.
  certificates(process.env)
  const connections = new Connections()
  const sender = new OTLPTraceExporter({ timeoutMillis, httpAgentOptions: connections.agentFor })
  const exporter = new WatchedExporter(sender)
  const provider = new TracerProvider({
    resource: resourceOfRun(),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  return {
    tracer: provider.getTracer('mutsumi', MUTSUMI_VERSION),
    async close() {
      const isSent = await within(patienceMs, [provider.forceFlush(), sender.forceFlush()])
      // Requests that are still running would keep the process alive.
      connections.end()
      const problem = isSent ? exporter.problem : say`no answer within ${patienceMs / 1000} s`
      if (problem !== undefined) printError(say`some traces could not be sent to ${collector}: ${problem}`)
    },
  }
}

/** Remembers the first failure, which the SDK would not report. */
class WatchedExporter implements SpanExporter {
  readonly #exporter: SpanExporter
  problem: string | undefined

  constructor(exporter: SpanExporter) {
    this.#exporter = exporter
  }

  export(...[spans, done]: Parameters<SpanExporter['export']>): void {
    this.#exporter.export(spans, (result) => {
      if (result.code !== 0) this.problem ??= problemOf(result.error)
      done(result)
    })
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown()
  }
}

/** A refused connection to a name with several addresses has only a code, no message. */
function problemOf(error: Error | undefined): string {
  const { message = '', code } = (error ?? {}) as { message?: string; code?: unknown }
  const status = typeof code === 'number' ? `${code} ` : ''
  return safeLine(`${status}${message || String(code ?? 'it failed')}`.slice(0, 200))
}

/**
 * Our own attributes; the user's take precedence. Arguments and machine are left out, because they may contain a
 * prompt.
 */
function resourceOfRun() {
  const own = resourceFromAttributes({ 'service.name': 'mutsumi', 'service.version': MUTSUMI_VERSION })
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }))
}

/** The connections of the exporter, which cannot end them itself. */
class Connections {
  #agent: Agent | undefined

  readonly agentFor = async (protocol: string): Promise<Agent> => {
    const { Agent } = protocol === 'http:' ? await import('node:http') : await import('node:https')
    this.#agent = new Agent({ keepAlive: true, ...certificates(process.env) })
    return this.#agent
  }

  end(): void {
    this.#agent?.destroy()
  }
}

/** A file that cannot be read is reported, and no traces are sent. */
function certificate(path: string): Buffer {
  const read = readOwnBytes(path, 1024 * 1024)
  if (read.kind === 'bytes') return read.bytes
  throw new Error(`${path} ${read.kind === 'fault' ? read.message : 'is not there'}`)
}

/** The options that the exporter would use for its own connections. */
function certificates(environment: NodeJS.ProcessEnv) {
  const read = (name: string) => {
    const path = environment[`OTEL_EXPORTER_OTLP_TRACES_${name}`] || environment[`OTEL_EXPORTER_OTLP_${name}`]
    return path ? certificate(path) : undefined
  }
  const files = { ca: read('CERTIFICATE'), cert: read('CLIENT_CERTIFICATE'), key: read('CLIENT_KEY') }
  return Object.fromEntries(Object.entries(files).filter(([, content]) => content !== undefined))
}

/** False if the work takes longer. Its result does not matter. */
async function within(milliseconds: number, work: readonly Promise<unknown>[]): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds)
  })
  const done = Promise.allSettled(work).then(() => true)
  const isInTime = await Promise.race([done, late])
  clearTimeout(timer)
  return isInTime
}
