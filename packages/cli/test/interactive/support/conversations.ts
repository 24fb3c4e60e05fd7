import { expect } from 'vitest'
import { answerWith, flagsOf, type ModelServer, modelServer } from '../../support/model-server.js'
import { Talk, type TalkOptions } from './talk.js'

/** A model that gives these replies, one after the other, and what it was sent. */
export async function answering(...replies: readonly string[]): Promise<ModelServer> {
  let count = 0
  return modelServer((response) => answerWith(response, replies[Math.min(count++, replies.length - 1)] ?? ''))
}

/** A conversation that is ready. */
export async function talkTo(
  server: ModelServer,
  folder: string,
  options: TalkOptions & { args?: string[] } = {},
): Promise<Talk> {
  const talk = new Talk(folder, [...flagsOf(server), ...(options.args ?? [])], options)
  await talk.until('/help')
  return talk
}

export async function leave(talk: Talk): Promise<void> {
  talk.type('<ctrl+d>')
  expect(await talk.ended).toBe(0)
}
