import { createOfflineModel } from '@mutsumi/model'
import { expect, it, onTestFinished } from 'vitest'
import { World } from '../support/agent.js'

it('A6 the offline model answers through the real loop, with its tools, and cites file and line', async () => {
  const world = World.open({
    files: {
      'src/load-config.ts': '/** Reads the settings. */\nexport function loadConfig() {\n  return [\n}\n',
      'src/main.ts': "import { loadConfig } from './load-config.js'\n\nloadConfig()\n",
    },
  })
  onTestFinished(() => world.close())
  const happened = await world.ask('Where is the config loaded?', createOfflineModel())
  expect(happened.end.status).toBe('done')
  expect(happened.end.answer).toContain('`src/load-config.ts:2`')
  expect(happened.end.answer).toMatch(/chooses a real one\.$/)
  expect(happened.of('tool-end').map(({ name }) => name)).toEqual(['Grep', 'Grep', 'Grep', 'Grep', 'Read'])
  const shown = happened.of('answer').map(({ text }) => text)
  expect(happened.end.answer?.startsWith(shown.join(''))).toBe(true)

  const next = await world.ask('Where is it used? I mean `loadConfig`', createOfflineModel())
  expect(next.end.answer).toContain('`src/main.ts:3`')
})
