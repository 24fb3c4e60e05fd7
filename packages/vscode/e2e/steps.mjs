// What scenarios do and wait for.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

export const action = (name, args) => `Thought: next\nAction: ${name}[${JSON.stringify(args)}]`
export const finish = (answer) => `Thought: done\nAction: Finish[${answer}]`

/** Waits until something is so. */
export async function until(what, isSo, timeout = 30_000) {
  const deadline = Date.now() + timeout
  for (;;) {
    const found = await isSo()
    if (found) return found
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`)
    await wait(100)
  }
}

/** An empty session, and a model that plays these replies. */
export async function session({ workspace, settings, window }, name, replies) {
  writeFileSync(join(workspace, `${name}.mtm`), '')
  if (replies) {
    writeFileSync(join(workspace, `${name}.script.json`), JSON.stringify(replies))
    settings({ 'mutsumi.model': `scripted:${join(workspace, `${name}.script.json`)}` })
  } else settings({ 'mutsumi.model': 'offline' })
  await window.open(`${name}.mtm`)
  await window.page.locator('.notebook-toolbar-container').first().waitFor()
  // The status shows the model once the new setting counts.
  await window.status(replies ? `${name}.script.json` : 'offline')
}

export const records = ({ workspace }, name) =>
  readFileSync(join(workspace, `${name}.mtm`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
