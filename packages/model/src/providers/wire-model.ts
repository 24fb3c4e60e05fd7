import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import type { ModelRequest } from '@mutsumi/schema'
import type { Exchange } from '../wire/exchange.js'

export interface WireSettings {
  /** The model's name at its provider. */
  readonly name: string
  readonly baseUrl: string
  /** Empty where none is needed. */
  readonly apiKey: string
  /** Whether the server is asked to count, where that is asked for. */
  readonly includeUsage: boolean
  /** How it reaches its provider. */
  readonly exchange: Exchange
}

/** A reply, part by part. Who cancels it does not wait for the rest. */
export interface WireParts {
  read(): Promise<{
    readonly done?: boolean | undefined
    readonly value?: LanguageModelV3StreamPart | undefined
  }>
  cancel(): unknown
}

/** A provider's wire format. */
export interface WireModel {
  stream(request: ModelRequest, signal: AbortSignal): Promise<WireParts>
}

export type OpenWireModel = (settings: WireSettings) => WireModel
