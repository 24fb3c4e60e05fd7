import type { ModelRequest } from '@mutsumi/schema'
import type { Exchange } from './exchange.js'
import type { WirePart } from './wire-part.js'

export interface WireSettings {
  /** The model's name at its provider. */
  readonly name: string
  readonly baseUrl: string
  /** Empty where none is needed. */
  readonly apiKey: string
  /** Whether the server is asked to count, where that is asked for. */
  readonly includeUsage: boolean
  /** Where the key goes, if not into `Authorization`. */
  readonly keyHeader?: string
  /** How it reaches its provider. */
  readonly exchange: Exchange
}

/** A reply, part by part. Who cancels it does not wait for the rest. */
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
