import { type Model, safeLine } from '@mutsumi/schema'
import { laidOut } from '../notebook/laid-out.js'
import { type PreviewedCell, requestOf } from './preview-cell.js'

/** A request for a person: in the form of its provider, with `***` for the key. */
export interface ShownRequest {
  /** Method, address and headers; absent if the model answers inside the editor and nothing goes over a wire. */
  readonly head?: readonly string[]
  /** The body with its texts laid out. */
  readonly text: string
  /** The body byte for byte. */
  readonly body: string
}

/** The previewed request as `model` would send it. Nothing is sent. */
export async function shownRequest(model: Model, preview: PreviewedCell): Promise<ShownRequest> {
  const request = requestOf(preview)
  const sent = await model.providerRequest?.(request)
  if (!sent) return { text: laidOut(request), body: JSON.stringify(request, null, 2) }
  const { method, url, headers, body } = sent
  const lines = Object.entries(headers).map(([name, value]) => safeLine(`${name}: ${value}`))
  return { head: [safeLine(`${method} ${url}`), ...lines], text: laidOut(JSON.parse(body)), body }
}
