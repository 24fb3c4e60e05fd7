import { openModel, type ProviderChoice } from '@mutsumi/model'
import type { ProviderRequest } from '@mutsumi/schema'
import { expect } from 'vitest'
import type { ContextPreview } from '../../src/drawing/draw-report.js'
import { type CommandResult, type RunOptions, run, runJson } from './command.js'
import { runJson as runJsonHere } from './command-here.js'
import { type ModelServer, type ModelServerRequest, modelServer } from './model-server.js'

/** The output of `mutsumi context --json`. */
export type Preview = ContextPreview & { readonly workspace: string }

/** The model of a server, as the flags of a run name it. */
export interface AskedModel extends Pick<ProviderChoice, 'provider' | 'name'> {
  readonly server: ModelServer
}

export const chatModel = (server: ModelServer): AskedModel => ({
  provider: 'openai-compatible',
  name: 'mm',
  server,
})

export function flagsFor({ provider, name, server }: AskedModel): string[] {
  return ['--model', `${provider}/${name}`, '--base-url', server.url]
}

/** Previews a line, then runs it. Answers with the preview, and with the first request as the server received it. */
export async function previewThenRun(
  cwd: string,
  line: readonly string[],
  { model, env = {}, input = '' }: { readonly model: AskedModel } & Omit<RunOptions, 'command'>,
): Promise<{ readonly preview: Preview; readonly sent: string; readonly result: CommandResult }> {
  const options = { env, input }
  const flags = flagsFor(model)
  const preview: Preview = await runJson(cwd, ['context', ...line, ...flags], options)
  const before = model.server.requests.length
  const result = await run(cwd, [...line, ...flags], options)
  const sent = model.server.requests[before]?.body
  if (sent === undefined) throw new Error(`nothing was sent: ${result.stderr}`)
  return { preview, sent, result }
}

/** The body of the HTTP request that a provider's client makes of a preview: byte for byte what a run must send. */
export async function bodyOf(
  { messages, sent }: Preview,
  { provider, name }: AskedModel,
  apiKey = 'key',
): Promise<string> {
  const server = await modelServer()
  const model = await openModel({ provider, name, baseUrl: server.url, apiKey, source: 'flag' })
  for await (const event of model.stream({ messages, ...sent })) void event
  return server.requests[0]?.body ?? ''
}

/** Expects that a run sends what its preview showed. */
export async function expectSameRequest(
  cwd: string,
  line: readonly string[],
  options: Parameters<typeof previewThenRun>[2],
) {
  const seen = await previewThenRun(cwd, line, options)
  expect(seen.sent).toBe(await bodyOf(seen.preview, options.model))
  return seen
}

/** `mutsumi context --request` in this process. */
export async function requestHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ProviderRequest> {
  return runJsonHere(process.cwd(), ['context', '--request', ...args], { env })
}

/** Expects that a shown request is the one that a server received, but for the key. */
export function expectShown(shown: ProviderRequest, received: ModelServerRequest | undefined, why = '') {
  expect(shown.body, why).toBe(received?.body)
  expect(shown.url.endsWith(received?.path ?? 'nothing'), shown.url).toBe(true)
  const { connection: _connection, host: _host, ...sent } = received?.headers ?? {}
  const isKey = (name: string) => /^(?:authorization|x-api-key|api-key|x-goog-api-key)$/.test(name)
  expect(Object.fromEntries(Object.entries(shown.headers).filter(([name]) => !isKey(name)))).toEqual(
    Object.fromEntries(Object.entries(sent).filter(([name]) => !isKey(name))),
  )
  const keys = Object.entries(sent).filter(([name]) => isKey(name))
  for (const [name, value] of keys) expect(shown.headers[name]).toBe(String(value).replace(/[^ ]+$/, '***'))
}

/** `mutsumi context --json` in this process. */
export async function previewHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Preview> {
  return runJsonHere(process.cwd(), ['context', ...args], { env })
}
