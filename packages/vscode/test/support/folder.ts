import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEvent, Model, ModelRequest } from '@mutsumi/schema'
import { openParts } from '../../src/agent/open-parts.js'
import { type AgentParts, runCell } from '../../src/agent/run-cell.js'
import { openNotebook } from '../../src/notebook/open-notebook.js'
import { tools } from './notebook.js'

/** A model that gives these replies, and keeps what it was asked. */
export function played(...replies: readonly string[]): Model & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = []
  return {
    ...{ name: 'played', callsTools: false, requests },
    async *stream(request) {
      requests.push(request)
      yield { type: 'text', text: replies[requests.length - 1] ?? 'no more' }
      yield { type: 'usage', usage: { input: 10, output: 2 } }
      yield { type: 'end', reason: 'stop' }
    },
  }
}

export const action = (name: string, args: object) =>
  `Thought: next\nAction: ${name}[${JSON.stringify(args)}]`
export const finish = (answer: string) => `Thought: done\nAction: Finish[${answer}]`

/** The parts of an agent in a folder whose user allows everything. */
export function partsIn(
  root: string,
  model: Model,
  {
    trusted = false,
    folders = [],
  }: { readonly trusted?: boolean; readonly folders?: readonly string[] } = {},
): Promise<AgentParts> {
  const stop = new AbortController().signal
  return openParts({
    ...{ root, trusted, folders, user: [], project: [], environment: {}, offered: model, stop },
    ...{ ask: async () => 'once' as const, note: () => undefined },
  })
}

/** Runs a cell of `talk.mtm`. */
export async function ranCell(parts: AgentParts, cell: string, prompt: string) {
  const path = join(parts.run.root, 'talk.mtm')
  const events: AgentEvent[] = []
  let id = cell
  const began = (fresh: string) => {
    id = fresh
  }
  const signal = new AbortController().signal
  for await (const event of runCell(parts, {
    path,
    cell,
    prompt,
    signal,
    began,
    heard: () => undefined,
    ended: () => undefined,
  }))
    events.push(event)
  return { id, events, opened: openNotebook(readFileSync(path), tools) }
}
