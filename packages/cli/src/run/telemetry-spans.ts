/*
 * A run as spans, by OpenTelemetry's conventions for generative AI:
 *
 *     invoke_agent mutsumi
 *     ├─ chat NAME
 *     ├─ execute_tool Task
 *     │  └─ invoke_agent mutsumi
 *     │     └─ chat NAME
 *     └─ chat NAME
 *
 * Only names, numbers and ids: nothing that was asked, answered, read or written, and no error messages, because they
 * may quote any of these.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import type { TracedCall, TracedRound, Tracing } from '@mutsumi/agent'
import {
  type AgentEvent,
  factsOfModel,
  type Model,
  type ModelEvent,
  type TokenUsage,
  type ToolResult,
} from '@mutsumi/schema'
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { Telemetry } from './telemetry.js'
import { openTelemetryExport } from './telemetry-export.js'

/** Throws if OpenTelemetry is not installed. `collector` is a name for people. */
export function startTelemetry(collector: string): Telemetry {
  const { tracer, close } = openTelemetryExport(collector)
  const spans = new RunSpans(tracer)
  return { tracing: spans, traced: (model) => spans.traced(model), close }
}

class RunSpans implements Tracing {
  readonly #tracer: Tracer
  /** The parent of the current work. */
  readonly #scope = new AsyncLocalStorage<Context>()

  constructor(tracer: Tracer) {
    this.#tracer = tracer
  }

  async *round(
    { session, model }: TracedRound,
    events: AsyncGenerator<AgentEvent>,
  ): AsyncGenerator<AgentEvent> {
    const span = this.#start('invoke_agent mutsumi', SpanKind.INTERNAL, {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'mutsumi',
      'gen_ai.conversation.id': session,
      ...modelAttributes(model),
    })
    const noted = new NotedRound(span)
    try {
      for (;;) {
        // A generator runs in the context of its caller.
        const { done, value } = await this.#inside(span, () => events.next())
        if (done) return
        noted.hear(value)
        yield value
      }
    } catch (error) {
      fail(span, nameOf(error))
      throw error
    } finally {
      span.end()
      await events.return(undefined)
    }
  }

  async tool({ name, id, isKnown }: TracedCall, run: () => Promise<ToolResult>): Promise<ToolResult> {
    // A name that a model made up is model text, so it is not shown.
    const shown = isKnown ? name : 'unknown'
    const span = this.#start(`execute_tool ${shown}`, SpanKind.INTERNAL, {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': shown,
      'gen_ai.tool.type': 'function',
      ...(id === undefined ? {} : { 'gen_ai.tool.call.id': hashOf(id) }),
    })
    try {
      const result = await this.#inside(span, run)
      span.setAttribute('mutsumi.tool.status', result.status)
      if (result.status === 'error') fail(span, result.error.code)
      return result
    } catch (error) {
      fail(span, nameOf(error))
      throw error
    } finally {
      span.end()
    }
  }

  traced(model: Model): Model {
    return {
      ...factsOfModel(model),
      stream: (request, options) => this.#chat(model.name, model.stream(request, options)),
    }
  }

  async *#chat(model: string, events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
    const attributes = modelAttributes(model)
    const span = this.#start(`chat ${attributes['gen_ai.request.model']}`, SpanKind.CLIENT, {
      'gen_ai.operation.name': 'chat',
      ...attributes,
    })
    try {
      for await (const event of events) {
        noteReply(span, event)
        yield event
      }
    } catch (error) {
      fail(span, nameOf(error))
      throw error
    } finally {
      span.end()
    }
  }

  #start(name: string, kind: SpanKind, attributes: Attributes): Span {
    return this.#tracer.startSpan(name, { kind, attributes }, this.#scope.getStore() ?? ROOT_CONTEXT)
  }

  #inside<Result>(span: Span, work: () => Result): Result {
    return this.#scope.run(trace.setSpan(ROOT_CONTEXT, span), work)
  }
}

/** Totals of a round, from its events. */
class NotedRound {
  readonly #span: Span
  #input = 0
  #output = 0

  constructor(span: Span) {
    this.#span = span
  }

  hear(event: AgentEvent): void {
    if (event.type === 'usage') {
      this.#input += event.usage.input
      this.#output += event.usage.output
    }
    if (event.type !== 'round-end') return
    const { status, fault } = event
    this.#span.setAttributes({
      'mutsumi.round.status': status,
      ...usageAttributes({ input: this.#input, output: this.#output }),
    })
    if (status !== 'done' && status !== 'denied') fail(this.#span, fault?.kind ?? status)
  }
}

function noteReply(span: Span, event: ModelEvent): void {
  switch (event.type) {
    case 'usage':
      span.setAttributes(usageAttributes(event.usage))
      break
    case 'retry':
      span.addEvent('retry', { 'mutsumi.retry.attempt': event.attempt, 'error.type': event.fault.kind })
      break
    case 'end':
      span.setAttribute('gen_ai.response.finish_reasons', [finishReasons[event.reason] ?? event.reason])
      break
    case 'fault':
      if (event.fault.status !== undefined) span.setAttribute('http.response.status_code', event.fault.status)
      fail(span, event.fault.kind)
      break
    case 'text':
    case 'reasoning':
    case 'call':
      break
    default:
      event satisfies never
  }
}

/** The conventions use another word for these. */
const finishReasons: Readonly<Record<string, string>> = { calls: 'tool_calls', filter: 'content_filter' }
const providers: Readonly<Record<string, string>> = {
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
  azure: 'azure.ai.openai',
}

/** `provider/name`; our own models have no provider, and a script's path stays private. */
function modelAttributes(model: string) {
  const [provider = '', ...rest] = model.startsWith('scripted:') ? ['scripted'] : model.split('/')
  const isOwn = rest.length === 0
  return {
    'gen_ai.provider.name': isOwn ? 'mutsumi' : (providers[provider] ?? provider),
    'gen_ai.request.model': isOwn ? provider : rest.join('/'),
  }
}

function usageAttributes({ input, output, cached, written }: TokenUsage): Attributes {
  return {
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': output,
    ...(cached === undefined ? {} : { 'gen_ai.usage.cache_read.input_tokens': cached }),
    ...(written === undefined ? {} : { 'gen_ai.usage.cache_creation.input_tokens': written }),
  }
}

/** The server makes up the ids and may put anything into them. */
function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 16)
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '_OTHER'
}
