import type { JsonObject } from '@mutsumi/schema'
import type { ReadJson } from './lenient-json.js'

/** The result of reading a place where an action may be. */
export type ReadAction =
  /** An ordinary line that happens to begin with the marker. */
  | { readonly kind: 'none' }
  | { readonly kind: 'call'; readonly name: string; readonly args: JsonObject; readonly end: number }
  | { readonly kind: 'finish'; readonly answer: string; readonly end: number }
  | BadAction

export interface BadAction {
  readonly kind: 'bad'
  readonly why: string
  readonly name?: string
}

export const none: ReadAction = { kind: 'none' }

export function bad(why: string, tool?: string): BadAction {
  return { kind: 'bad', why, ...(tool !== undefined && { name: tool }) }
}

export const cutOff = 'your reply ended before its JSON did'

export function badJson(read: Exclude<ReadJson, { readonly kind: 'value' }>, tool?: string): ReadAction {
  return bad(read.kind === 'cut' ? cutOff : `its JSON cannot be read: ${read.why}`, tool)
}

/** Whether a name means the end of the round and not a tool. */
export function isFinish(name: string): boolean {
  return finishNames.has(name.toLowerCase())
}

const finishNames = new Set(['finish', 'final answer', 'final_answer', '完成', '结束', '結束'])
