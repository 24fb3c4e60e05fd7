import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { FaultError } from '../faults/fault-error.js'
import { networkFault } from '../faults/network-fault.js'
import { DataWatch } from './data-watch.js'
import type { Deadline } from './timeouts.js'

export interface HttpBody {
  /** The bytes as they come. */
  readonly body: ReadableStream<Uint8Array>
  /** Whether the reply said by itself that it is whole. */
  readonly saidEnd: () => boolean
  text(): Promise<string>
  cancel(): void
}

interface BodyOptions {
  readonly outgoing: ClientRequest
  readonly deadline: Deadline
  readonly url: URL
  readonly maxBytes: number
}

/** The body of an answer, unpacked, watched for stalls, and cut where it grows without end. */
export async function httpBody(incoming: IncomingMessage, options: BodyOptions): Promise<HttpBody> {
  const { outgoing, deadline, url } = options
  const source = await unpacked(incoming)
  const watch = /event-stream/i.test(incoming.headers['content-type'] ?? '') ? new DataWatch() : undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const settle = settleOnce(deadline)
      const fail = (error: unknown) => {
        if (settle()) controller.error(error instanceof FaultError ? error : brokenBody(error, url))
      }
      const end = () => settle() && controller.close()
      let size = 0
      deadline.onExpiry((fault) => {
        fail(fault)
        outgoing.destroy()
      })
      source.on('data', (chunk: Uint8Array) => {
        size += chunk.length
        if (watch?.see(chunk) ?? true) deadline.await('idle')
        if (settle.done()) return
        controller.enqueue(chunk)
        if (size > options.maxBytes) {
          fail(tooLong(url, options.maxBytes))
          outgoing.destroy()
        } else if (watch?.ended) {
          end()
          releaseSoon(outgoing)
        }
      })
      source.on('end', end)
      incoming.on('error', fail)
      if (source !== incoming) source.on('error', fail)
      outgoing.on('error', fail)
      // Closed before its end, which is an error only for who listened early enough.
      const closed = () => {
        if (!incoming.complete) fail(Object.assign(new Error('closed early'), { code: 'ECONNRESET' }))
      }
      if (incoming.closed) closed()
      else incoming.on('close', closed)
    },
    cancel: () => void outgoing.destroy(),
  })
  return {
    body,
    saidEnd: () => watch?.ended ?? false,
    text: () => textOf(body),
    cancel: () => void outgoing.destroy(),
  }
}

/** A reply that is whole is handed on at once; its connection gets a moment to end by itself and be kept. */
function releaseSoon(outgoing: ClientRequest): void {
  const timer = setTimeout(() => outgoing.destroy(), 1_000)
  timer.unref()
  outgoing.once('close', () => clearTimeout(timer))
}

function settleOnce(deadline: Deadline) {
  let done = false
  const settle = () => {
    if (done) return false
    done = true
    deadline.end()
    return true
  }
  return Object.assign(settle, { done: () => done })
}

/** Asked for plain bytes, some servers pack them all the same. */
async function unpacked(incoming: IncomingMessage): Promise<Readable> {
  const coding = (incoming.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (coding === 'identity' || coding === '') return incoming
  const zlib = await import('node:zlib')
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
  const unpackers: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
    gzip: () => zlib.createGunzip({ flush: Z_SYNC_FLUSH }),
    'x-gzip': () => zlib.createGunzip({ flush: Z_SYNC_FLUSH }),
    deflate: () => zlib.createInflate({ flush: Z_SYNC_FLUSH }),
    br: () => zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH }),
  }
  const unpacker = unpackers[coding]?.()
  if (!unpacker)
    throw new FaultError({ kind: 'malformed', message: `The answer is packed in an unknown way: ${coding}.` })
  // Both sides of a zlib stream, whose reading side is what is wanted.
  return incoming.pipe(unpacker) as unknown as Readable
}

function brokenBody(error: unknown, url: URL): FaultError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/^Z_|BROTLI|ERR_/.test(code) && code !== 'ERR_STREAM_PREMATURE_CLOSE')
    return new FaultError({
      kind: 'malformed',
      message: `The answer of ${url.host} cannot be unpacked (${code}).`,
    })
  return networkFault(error, url)
}

function tooLong(url: URL, maxBytes: number): FaultError {
  const megabytes = Math.round(maxBytes / 1024 / 1024)
  return new FaultError({
    kind: 'malformed',
    message: `The answer of ${url.host} is longer than ${megabytes} MiB.`,
  })
}

async function textOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
