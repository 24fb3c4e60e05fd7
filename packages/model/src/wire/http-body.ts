import type { ClientRequest, IncomingMessage } from 'node:http'
import { FaultError } from '../faults/fault-error.js'
import { faultWords } from '../faults/fault-words.js'
import { networkFault } from '../faults/network-fault.js'
import { ByteQueue } from './byte-queue.js'
import type { Deadline } from './timeouts.js'

export interface HttpBody {
  /** The next bytes; undefined at the end. Bytes that arrived before a failure are returned first. */
  read(): Promise<Uint8Array | undefined>
  /** New content arrived: the time limit starts again. Bytes alone are not content, unless they are JSON. */
  heard(): void
  /** The reply is complete. From here on it does not matter how the connection ends, and it has a moment to do so. */
  finish(): void
  /** Stops reading. The connection gets a moment to finish, so that it can be kept for the next request. */
  release(): void
  text(): Promise<string>
  cancel(): void
}

interface BodyOptions {
  readonly outgoing: ClientRequest
  readonly deadline: Deadline
  readonly url: URL
  readonly maxBytes: number
}

/** The body of an answer: decompressed, checked for stalls, and limited in size. */
export async function httpBody(incoming: IncomingMessage, options: BodyOptions): Promise<HttpBody> {
  const { outgoing, deadline, url } = options
  const queue = new ByteQueue()
  let isFinished = false
  const fail = (fault: FaultError) => {
    deadline.end()
    if (isFinished) queue.close()
    else queue.fail(fault)
  }
  const heard = () => deadline.await(isFinished ? 'endingMs' : 'idleMs')
  deadline.onExpiry((what) => {
    // A slow reader must not count as a stalled server.
    if (queue.hasUnread) return deadline.await(what, unreadMs)
    fail(deadline.fault(what))
    outgoing.destroy()
  })
  // Bytes from before the error are still on their way.
  const broken = (error: unknown) => void setImmediate(() => fail(brokenBody(error, url)))
  watchForBreaks(incoming, outgoing, broken)
  // A JSON text has no content before its end.
  const onBytes = /\bjson\b/i.test(incoming.headers['content-type'] ?? '') ? heard : () => undefined
  const unpacker = unpackerOf(incoming)
  const source = unpacker ? incoming.pipe(await unpacker()) : incoming
  if (unpacker) source.on('error', broken)
  pour(source, { ...options, queue, fail, onBytes })
  const read = () => queue.read()
  return {
    read,
    heard,
    finish() {
      isFinished = true
      heard()
    },
    release: () => releaseSoon(outgoing, deadline),
    text: () => textOf(read),
    cancel: () => void outgoing.destroy(),
  }
}

/** How often to check whether everything was read. */
const unreadMs = 1_000

/** Before any await, because an error may follow the head of an answer at once. */
function watchForBreaks(
  incoming: IncomingMessage,
  outgoing: ClientRequest,
  broken: (error: unknown) => void,
): void {
  incoming.on('error', broken)
  outgoing.on('error', broken)
  incoming.on('close', () => {
    if (!incoming.complete) broken(Object.assign(new Error('closed early'), { code: 'ECONNRESET' }))
  })
}

interface Pouring extends BodyOptions {
  readonly queue: ByteQueue
  readonly fail: (fault: FaultError) => void
  readonly onBytes: () => void
}

function pour(
  source: NodeJS.ReadableStream,
  { outgoing, deadline, url, maxBytes, queue, fail, onBytes }: Pouring,
): void {
  let size = 0
  source.on('data', (chunk: Buffer) => {
    size += chunk.length
    onBytes()
    queue.push(chunk)
    if (size <= maxBytes || queue.isEnded) return
    fail(tooLong(url, maxBytes))
    outgoing.destroy()
  })
  source.on('end', () => {
    deadline.end()
    queue.close()
  })
}

function releaseSoon(outgoing: ClientRequest, deadline: Deadline): void {
  deadline.end()
  const timer = setTimeout(() => outgoing.destroy(), 1_000)
  timer.unref()
  outgoing.once('close', () => clearTimeout(timer))
}

/** Some servers compress although they were asked not to. */
function unpackerOf(incoming: IncomingMessage): (() => Promise<NodeJS.ReadWriteStream>) | undefined {
  const coding = (incoming.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (coding === 'identity' || coding === '') return undefined
  return async () => {
    const zlib = await import('node:zlib')
    const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
    const unpackers: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
      gzip: () => zlib.createGunzip({ flush: Z_SYNC_FLUSH }),
      'x-gzip': () => zlib.createGunzip({ flush: Z_SYNC_FLUSH }),
      deflate: () => zlib.createInflate({ flush: Z_SYNC_FLUSH }),
      br: () => zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH }),
    }
    const unpacker = unpackers[coding]?.()
    if (unpacker) return unpacker
    throw new FaultError({ kind: 'malformed', ...faultWords('unknown-compression', coding) })
  }
}

function brokenBody(error: unknown, url: URL): FaultError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/^Z_|BROTLI|ERR_/.test(code) && code !== 'ERR_STREAM_PREMATURE_CLOSE')
    return new FaultError({ kind: 'malformed', ...faultWords('not-decompressed', url.host, code) })
  if (code.startsWith('HPE_'))
    return new FaultError({ kind: 'malformed', ...faultWords('no-longer-http', url.host, code) })
  return networkFault(error, url)
}

function tooLong(url: URL, maxBytes: number): FaultError {
  const megabytes = Math.round(maxBytes / 1024 / 1024)
  return new FaultError({ kind: 'malformed', ...faultWords('answer-too-long', url.host, megabytes) })
}

async function textOf(read: HttpBody['read']): Promise<string> {
  const chunks: Uint8Array[] = []
  for (let chunk = await read(); chunk; chunk = await read()) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
