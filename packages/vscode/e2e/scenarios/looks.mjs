import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { action, finish, session, until, useModel } from '../steps.mjs'

/** The pictures of the guide; in a workspace with nothing else in it. */
export const tourScenarios = [
  {
    name: 'tour of the guide',
    async run(world) {
      const { window, page, workspace, shot } = world
      writeFileSync(
        join(workspace, 'config.ts'),
        'export const limits = {\n  retries: 3,\n  timeoutMs: 1000,\n}\n',
      )
      await session(world, 'tour', [
        action('Grep', { pattern: 'timeoutMs' }),
        `Thought: The timeout is in one place. I raise it.\nAction: Edit[${JSON.stringify({ path: 'config.ts', old_string: 'timeoutMs: 1000', new_string: 'timeoutMs: 5000' })}]`,
        finish(
          'The timeout was one second, which is too short for a cold server. It is **five seconds** now, in `config.ts:3`.',
        ),
      ])
      await window.addCell(
        '#define GOAL requests do not time out\nLook at @[config.ts] and make sure that {{GOAL}}.',
      )
      await window.command('View: Show Mutsumi')
      await window.run(0)
      const allow = await window.shown('.mutsumi .answer.once')
      await world.inside((vscode) => vscode.commands.executeCommand('notifications.clearAll'))
      await shot('tour question')
      await allow.click()
      await window.shown('.mutsumi .foot.done')
      await window.view('Context').filter({ hasText: 'config.ts' }).first().waitFor()
      await page.mouse.move(700, 800)
      await shot('tour')
      await window.command('Explorer: Focus on Folders View')
    },
  },
]

/** The looks: themes, Chinese. */
export const lookScenarios = [
  ...[
    ['dark theme', 'dark', 'Default Dark Modern', 'vscode-dark'],
    ['high contrast', 'contrast', 'Default High Contrast', 'vscode-high-contrast'],
  ].map(([name, id, theme, mark]) => ({
    name,
    async run(world) {
      const { window, shot } = world
      const replies = [
        action('Read', { path: 'greet.ts' }),
        action('Edit', { path: 'greet.ts', old_string: 'Hello', new_string: 'Good day' }),
        finish('```ts\ngreet("you")\n```\nIt *greets*. See [the docs](https://example.com).'),
      ]
      await session(world, id, replies)
      useModel(world, id, replies, { 'workbench.colorTheme': theme })
      await until('the theme is there', () =>
        world.page.locator(`.monaco-workbench.${mark === 'vscode-dark' ? 'vs-dark' : 'hc-black'}`).count(),
      )
      await window.addCell('Show me')
      await window.run(0)
      await window.shown('.mutsumi .question .diff .added')
      await shot(`${id} question`)
      await (await window.shown('.mutsumi .answer.no')).click()
      await window.shown('.mutsumi .foot.done, .mutsumi .foot.denied')
      await shot(id)
      // Text and background have enough contrast to be read.
      const ratio = await (await window.shown('.mutsumi .tool summary .name')).evaluate(contrast)
      assert.ok(ratio >= (id === 'contrast' ? 7 : 4.5), `contrast ${ratio}`)
      useModel(world)
      await until('the theme is gone', () => world.page.locator('.monaco-workbench.vs').count())
    },
  })),
  {
    name: 'in Chinese the interface is Chinese: cards, commands, questions',
    language: 'zh-cn',
    async run(world) {
      const { window, page, shot, inside } = world
      assert.equal(await inside((vscode) => vscode.env.language), 'zh-cn')
      await session(world, 'chinese', [
        action('Edit', { path: 'greet.ts', old_string: 'Hello', new_string: '你好' }),
        action('Write', { path: 'refused.txt', content: 'x' }),
        finish('好的。'),
      ])
      await window.addCell('看看 @[greet.ts]')
      await window.run(0)
      const allow = await window.shown('.mutsumi .answer.once')
      assert.equal(await allow.innerText(), '允许一次')
      await shot('chinese question')
      await window.shown('.mutsumi .question :text("没有规则允许对 greet.ts 使用 Edit")')
      await allow.click()
      await window.shown('.mutsumi .question :text("没有规则允许对 refused.txt 使用 Write")')
      await (await window.shown('.mutsumi .answer.no')).click()
      await window.shown('.mutsumi .foot.denied :text("用户拒绝了")')
      await window.shown('.mutsumi .tool.error :text-is("用户拒绝了")')
      await shot('chinese refusal')
      // A model reads English.
      const sent = world.mutsumi('replay', 'chinese.mtm', '--round', '1', '--json')
      assert.match(sent, /Write can write and was not permitted: the user said no/)
      assert.doesNotMatch(sent, /未获许可/)
      await page.keyboard.press('F1')
      await page.locator('.quick-input-widget input').fill('>新建对话')
      await page.locator('.quick-input-list .monaco-list-row', { hasText: '新建对话' }).first().waitFor()
      await shot('chinese commands')
      await page.keyboard.press('Escape')
    },
  },
]

/** Runs in the page: the contrast between a text and its background. */
function contrast(node) {
  const light = (color) => {
    const [red, green, blue] = (color.match(/[\d.]+/g) ?? []).map((each) => {
      const share = Number(each) / 255
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const ground =
    getComputedStyle(document.documentElement).getPropertyValue('--vscode-notebook-editorBackground') ||
    getComputedStyle(document.documentElement).getPropertyValue('--vscode-editor-background')
  const probe = document.body.appendChild(document.createElement('i'))
  probe.style.color = ground
  const [text, behind] = [light(getComputedStyle(node).color), light(getComputedStyle(probe).color)]
  probe.remove()
  return (Math.max(text, behind) + 0.05) / (Math.min(text, behind) + 0.05)
}
