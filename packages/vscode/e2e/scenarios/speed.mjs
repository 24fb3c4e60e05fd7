import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measure } from '../measurements.mjs'
import { action, finish, longSession, session, until, useModel } from '../steps.mjs'

const rounds = 1000
const manyRounds = {
  question: (index) => `Question ${index}: what does @[greet.ts] do, and why?`,
  answer: (index) =>
    `Thought: I know it.\nAction: Finish[Answer ${index}: it **greets**.\n\n\`\`\`ts\ngreet("you")\n\`\`\`\n\n${'It does so politely. '.repeat(30)}]`,
}

/** The times of common actions, with their bounds. */
export const speedScenarios = [
  {
    name: 'speed: activation',
    async run(world) {
      const { window, page, version } = world
      // A window without a notebook does not start the extension.
      await session(world, 'started', [finish('Yes.')])
      await window.cell(0).waitFor()
      await window.command('Developer: Show Running Extensions')
      const row = page.locator('.runtime-extensions-editor .extension', { hasText: 'Mutsumi' }).first()
      await row.waitFor()
      const text = await until('the time is shown', async () =>
        /Activation: (\d+)\s?ms/.exec(await row.innerText()),
      )
      measure(`${version.vscode} activation`, Number(text[1]), { bound: 50, unit: 'ms' })
    },
  },
  {
    name: 'speed: a session of 1 000 rounds opens, is scrolled and typed into',
    async run(world) {
      const { window, page, workspace, version, shot, inside } = world
      writeFileSync(join(workspace, 'thousand.mtm'), longSession('thousand', rounds, manyRounds))
      useModel(world)
      await page
        .locator('.explorer-folders-view .monaco-list-row', { hasText: 'thousand.mtm' })
        .first()
        .waitFor()
      const started = performance.now()
      await window.open('thousand.mtm')
      await window.cell(0).waitFor()
      await window.shown('.mutsumi .foot.done')
      measure(`${version.vscode} opening 1 000 rounds`, performance.now() - started, {
        bound: 2000,
        unit: 'ms',
      })
      await window.status('offline')

      const longest = await longestTask(window, async () => {
        await window.cell(0).hover()
        for (let step = 0; step < 60; step++) await page.mouse.wheel(0, 700)
        await window.reach(rounds - 1)
        for (let step = 0; step < 30; step++) await page.mouse.wheel(0, -700)
      })
      measure(`${version.vscode} scrolling 1 000 outputs, longest task of the page`, longest, {
        bound: 200,
        unit: 'ms',
      })
      await shot('a thousand rounds')

      const status = page.locator('.statusbar-item', { hasText: 'offline' }).first()
      const before = await status.innerText()
      await window.addCell('And ')
      // Its tokens are those of all rounds.
      await until('the first request is built', async () => (await status.innerText()) !== before, 60_000)
      await until('the extension host rests', () => inside(isResting), 60_000)
      await inside(watchLoop)
      const typed = await keystrokes(page, 'a draft that is typed while the context view follows along', 12)
      const { max } = await inside(readLoop)
      measure(`${version.vscode} a keystroke in 1 000 rounds`, typed, { bound: 100, unit: 'ms' })
      measure(`${version.vscode} longest pause of the extension host while typing`, max, {
        bound: 100,
        unit: 'ms',
      })
    },
  },
  ...[
    { tool: 'Read', call: (index) => ({ path: `part-${index}.ts` }) },
    // Each starts ripgrep.
    { tool: 'Grep', call: (index) => ({ pattern: `part = ${index}$` }) },
  ].map(({ tool, call }) => ({
    name: `speed: a round of twenty ${tool}s costs little more than in the terminal`,
    async run(world) {
      const { window, workspace, home, version, mutsumi } = world
      const name = `cost-${tool}`
      for (let index = 0; index < 20; index++)
        writeFileSync(join(workspace, `part-${index}.ts`), `export const part = ${index}\n`)
      const steps = Array.from({ length: 20 }, (_, index) => action(tool, call(index)))
      const replies = [...steps, finish('Twenty times.')]
      await session(world, name, [...replies, ...replies, ...replies])
      for (const index of [0, 1, 2]) {
        await window.addCell(`Look ${index}`)
        await window.run(index)
        await until('the round is over', () => ends(workspace, name).length === index + 1, 60_000)
      }
      const model = `scripted:${join(home, `${name}.script.json`)}`
      for (const index of [0, 1, 2])
        mutsumi('-p', `Look ${index}`, '--session', `./${name}-terminal.mtm`, '--model', model)
      const [here, there] = [name, `${name}-terminal`].map((each) => Math.min(...durations(workspace, each)))
      console.log(
        `     ${version.vscode} a round of 21 steps: ${here} ms in the notebook, ${there} ms in the terminal`,
      )
      measure(`${version.vscode} a round of ${tool}s, against the terminal`, here / there, {
        bound: 1.2,
        unit: 'times',
      })
      assert.equal(durations(workspace, `${name}-terminal`).length, 3)
    },
  })),
]

const lines = (workspace, name) =>
  readFileSync(join(workspace, `${name}.mtm`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

const ends = (workspace, name) => lines(workspace, name).filter(({ type, final }) => type === 'step' && final)

/** From the first request of each round to its answer. */
function durations(workspace, name) {
  const all = lines(workspace, name)
  return all
    .filter(({ type, final }) => type === 'step' && final)
    .map(({ cell, at }) => {
      const first = all.find((record) => record.type === 'request' && record.cell === cell)
      return Date.parse(at) - Date.parse(first.at)
    })
}

/** The longest task of the workbench and of our frame while something is done. */
async function longestTask({ page }, work) {
  for (const frame of page.frames())
    await frame
      .evaluate(() => {
        globalThis.longest = 0
        new PerformanceObserver((list) => {
          for (const { duration } of list.getEntries())
            globalThis.longest = Math.max(globalThis.longest, duration)
        }).observe({ type: 'longtask' })
      })
      .catch(() => undefined)
  await work()
  const all = await Promise.all(
    page.frames().map((frame) => frame.evaluate(() => globalThis.longest ?? 0).catch(() => 0)),
  )
  return Math.max(...all)
}

/**
 * Types with pauses in which the context view is built. Answers how long a letter takes from its key to its picture, by
 * the page's own clock: nine of ten letters take less.
 */
async function keystrokes(page, text, pauseEvery) {
  await page.evaluate(() => {
    globalThis.keys = []
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries())
        if (name === 'keydown') globalThis.keys.push(duration)
    }).observe({ type: 'event', durationThreshold: 16 })
  })
  for (const [index, letter] of [...text].entries()) {
    await page.keyboard.type(letter)
    await page.waitForTimeout(index % pauseEvery === pauseEvery - 1 ? 900 : 30)
  }
  const slow = await page.evaluate(() => globalThis.keys)
  // Letters that take less than a frame have no entry.
  const all = [...slow, ...Array.from({ length: Math.max(0, text.length - slow.length) }, () => 16)]
  return all.sort((one, other) => one - other)[Math.floor(0.9 * all.length)]
}

/** These run inside the editor and measure how long its extension host is busy at a time. */
function watchLoop(_vscode, _argument, load) {
  globalThis.loopDelay = load('node:perf_hooks').monitorEventLoopDelay({ resolution: 5 })
  globalThis.loopDelay.enable()
}
function readLoop() {
  globalThis.loopDelay.disable()
  return { max: globalThis.loopDelay.max / 1e6 }
}
async function isResting() {
  const before = performance.now()
  await new Promise((resolve) => setTimeout(resolve, 1500))
  return performance.now() - before < 1600
}
