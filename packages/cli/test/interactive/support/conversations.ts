import { expect } from 'vitest'
import { answerWith, flagsOf, type ModelServer, modelServer } from '../../support/model-server.js'
import { Talk, type TalkOptions } from './talk.js'

/** A model that gives these replies, one after the other, and what it was sent. */
export async function answering(...replies: readonly string[]): Promise<ModelServer> {
  let count = 0
  return modelServer((response) => answerWith(response, replies[Math.min(count++, replies.length - 1)] ?? ''))
}

/** A conversation with these flags that is ready for input. */
export async function ready(folder: string, args: readonly string[], options?: TalkOptions): Promise<Talk> {
  const talk = new Talk(folder, args, options)
  await talk.until('/help')
  return talk
}

/** A conversation with a model that is ready for input. */
export async function talkTo(
  server: ModelServer,
  folder: string,
  options: TalkOptions & { args?: string[] } = {},
): Promise<Talk> {
  return ready(folder, [...flagsOf(server), ...(options.args ?? [])], options)
}

/** Waits until the input is shown again and empty, then leaves. */
export async function leaveWhenIdle(talk: Talk): Promise<void> {
  await talk.until('› Ask something')
  await leave(talk)
}

export async function leave(talk: Talk): Promise<void> {
  talk.type('<ctrl+d>')
  expect(await talk.ended).toBe(0)
}
