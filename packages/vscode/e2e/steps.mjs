// Helpers of the scenarios: sessions, scripts, waiting.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { encodeHeader, encodeRecord } from '@mutsumi/session'

export const action = (name, args) => `Thought: next\nAction: ${name}[${JSON.stringify(args)}]`
export const finish = (answer) => `Thought: done\nAction: Finish[${answer}]`
/** A reply that arrives letter by letter. */
export const slow = (text, delayMs = 60) => ({ chunks: [...text].map((each) => ({ text: each, delayMs })) })

/** Waits until a condition is true. */
export async function until(what, isSo, timeout = 30_000) {
  const deadline = Date.now() + timeout
  for (;;) {
    const found = await isSo()
    if (found) return found
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`)
    await wait(100)
  }
}

/** An empty session, and a model that plays these replies; the offline model if there are none. */
export async function session(world, name, replies) {
  const { workspace, window } = world
  writeFileSync(join(workspace, `${name}.mtm`), '')
  useModel(world, name, replies)
  await window.open(`${name}.mtm`)
  await window.page.locator('.notebook-toolbar-container').first().waitFor()
  // The status shows the model after the new setting takes effect.
  await window.status(replies ? `${name}.script.json` : 'offline')
}

/** Sets the model, and further settings of the workspace. */
export function useModel({ home, settings }, name, replies, more = {}) {
  if (!replies) return settings({ 'mutsumi.model': 'offline', ...more })
  const path = join(home, `${name}.script.json`)
  writeFileSync(path, JSON.stringify(replies))
  settings({ 'mutsumi.model': `scripted:${path}`, ...more })
}

export function records({ workspace }, name) {
  return readFileSync(join(workspace, `${name}.mtm`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

const at = '2026-03-01T09:00:00.000Z'
export const header = (id) => ({
  ...{ type: 'session', format: 'mutsumi', version: 1, id, created: at, metadata: {} },
})

/** A line of a session with its sum, because lines without one are not used. */
export const lineOf = (record) => (record.type === 'session' ? encodeHeader(record) : encodeRecord(record))

/** The lines of a session with so many rounds of a question and an answer. */
export function longSession(id, rounds, { question, answer }) {
  const all = Array.from({ length: rounds }, (_, index) => [
    { type: 'cell', id: `c${index}`, at, role: 'user', content: question(index) },
    {
      ...{ type: 'step', id: `s${index}`, at, cell: `c${index}`, step: 1 },
      content: answer(index),
      final: true,
    },
  ])
  return `${[header(id), ...all.flat()].map(lineOf).join('\n')}\n`
}

/** Puts a small picture on the clipboard. */
export function copyPicture(page) {
  return page.evaluate(async () => {
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = 8
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })])
  })
}

/** The texts of a recorded request. */
export function sentTexts(world, name, round) {
  return JSON.parse(world.mutsumi('replay', `${name}.mtm`, '--round', String(round), '--json'))
}
