import type { ModelRequest } from '@mutsumi/schema'
import type { Exchange } from './exchange.js'
import type { WirePart } from './wire-part.js'

export interface WireSettings {
  /** The model's name at its provider. */
  readonly name: string
  readonly baseUrl: string
  /** Empty if none is needed. */
  readonly apiKey: string
  /** Whether to ask the server for usage, if it needs to be asked. */
  readonly includeUsage: boolean
  /** The header for the key, if it is not `Authorization`. */
  readonly keyHeader?: string
  /** How the system messages at the beginning are sent, for chat completions. */
  readonly systemForm: 'separate' | 'merged'
  /** The client that sends its requests. */
  readonly exchange: Exchange
}

/** A reply, part by part. Cancelling does not wait for the rest. */
export interface WireParts {
  read(): Promise<{
    readonly done?: boolean | undefined
    readonly value?: WirePart | undefined
  }>
  cancel(): unknown
}

/** A provider's wire format. */
export interface WireModel {
  stream(request: ModelRequest, signal: AbortSignal): Promise<WireParts>
}

export type OpenWireModel = (settings: WireSettings) => WireModel
