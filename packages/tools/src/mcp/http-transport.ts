import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { longestMessage, tooLong } from './message-limit.js'

/** A server over streamable HTTP. The SDK accepts answers of any length; this one ends the connection at a limit. */
export class HttpTransport extends StreamableHTTPClientTransport {
  /** Why it was ended; empty if it was not. */
  lastErrors = ''
}

export function openHttpTransport(url: URL, headers: Readonly<Record<string, string>>): HttpTransport {
  const transport: HttpTransport = new HttpTransport(url, {
    requestInit: { headers: { ...headers } },
    fetch: async (address, init) => bounded(await fetch(address, init), stop),
  })
  function stop(): void {
    transport.lastErrors = tooLong
    // Not only this answer, because the SDK would request the rest of a stream again and wait for it.
    void transport.close()
  }
  return transport
}

/** These statuses have no body, and a Response with one of them accepts none. */
const bodiless = [101, 204, 205, 304]

function bounded(response: Response, onExcess: () => void): Response {
  const { body, status, statusText, headers } = response
  if (body === null || bodiless.includes(status)) return response
  const isStream = /^text\/event-stream/i.test(headers.get('content-type') ?? '')
  return new Response(body.pipeThrough(countBytes(isStream, onExcess)), { status, statusText, headers })
}

/** Counts bytes; in a stream of events, from the end of the last event on. */
function countBytes(isStream: boolean, onExcess: () => void): TransformStream<Uint8Array, Uint8Array> {
  let count = 0
  return new TransformStream({
    transform(bytes, controller) {
      const end = isStream ? endOfEvents(bytes) : -1
      count = end === -1 ? count + bytes.length : bytes.length - end
      if (count <= longestMessage) return controller.enqueue(bytes)
      onExcess()
      controller.error(new Error(tooLong))
    },
  })
}

/**
 * The offset after the last empty line; -1 if there is none. An empty line that is split between chunks goes
 * unnoticed, but the next event corrects that. A server that sends so much that none is ever found has sent too much
 * anyway.
 */
function endOfEvents(bytes: Uint8Array): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const ends = ['\n\n', '\r\n\r\n', '\r\r'].map((end) => {
    const at = buffer.lastIndexOf(end)
    return at === -1 ? -1 : at + end.length
  })
  return Math.max(...ends)
}
