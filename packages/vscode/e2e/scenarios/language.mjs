import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { records, session, until } from '../steps.mjs'

/** The editor's features for prompts. */
export const languageScenarios = [
  {
    name: 'completion after @[ offers files, tools and macros',
    async run(world) {
      const { window, page, shot } = world
      await session(world, 'complete')
      await window.addCell('#define LANGUAGE German\n')
      await page.keyboard.type('Look at @[gre')
      const offered = page.locator('.suggest-widget .monaco-list-row')
      await offered.filter({ hasText: 'greet.ts' }).first().waitFor()
      await shot('completion')
      await page.keyboard.press('Tab')
      await window.cell(0).getByText('@[greet.ts]').first().waitFor()
      await page.keyboard.type(' in {{LAN')
      await offered.filter({ hasText: 'LANGUAGE' }).first().waitFor()
      await page.keyboard.press('Tab')
      await window.cell(0).getByText('{{LANGUAGE}}').first().waitFor()
      await page.keyboard.type(' with @gre')
      await offered.filter({ hasText: 'greet.ts' }).first().waitFor()
      await page.keyboard.press('Tab')
      await page.keyboard.type(' by @[Gre')
      await offered.filter({ hasText: /^Grep/ }).first().waitFor()
      await page.keyboard.press('Escape')
      await page.keyboard.press('Control+S')
      await until('the prompt is saved', () =>
        records(world, 'complete').some(({ content }) =>
          content?.includes('@[greet.ts] in {{LANGUAGE}} with @greet.ts'),
        ),
      )
    },
  },
  {
    name: 'hover shows what a reference is, definition goes there, a macro is renamed everywhere',
    async run(world) {
      const { window, page, shot, workspace, inside } = world
      mkdirSync(join(workspace, '.mutsumi', 'rules'), { recursive: true })
      writeFileSync(join(workspace, '.mutsumi', 'rules', 'tone.md'), 'Write in {{TONGUE}}.\n')
      await session(world, 'places')
      await window.addCell('#define TONGUE German\nLook at @[greet.ts:2:2] in {{TONGUE}}')
      await window.addCell('Again in {{TONGUE}} by @greet.ts, me@greet.ts, @[.mutsumi]')
      await window.cell(0).locator('.view-line span', { hasText: 'greet' }).last().hover()
      await page.locator('.monaco-hover', { hasText: 'lines: 1, tokens' }).first().waitFor()
      await shot('hover')
      const found = await inside(async (vscode) => {
        const notebook = vscode.workspace.notebookDocuments.find(({ uri }) => uri.path.endsWith('places.mtm'))
        const { document } = notebook.cellAt(0)
        const at = (text) => document.positionAt(document.getText().indexOf(text) + 1)
        const run = (name, ...args) => vscode.commands.executeCommand(name, ...args)
        const places = async (text) =>
          (await run('vscode.executeDefinitionProvider', document.uri, at(text))).map(({ uri, range }) => ({
            path: uri.path,
            line: range.start.line,
          }))
        const [file, macro] = [await places('greet.ts'), await places('TONGUE}}')]
        const second = notebook.cellAt(1).document
        const inSecond = (text) => second.positionAt(second.getText().indexOf(text) + 3)
        const mentioned = await run('vscode.executeDefinitionProvider', second.uri, inSecond('@greet.ts,'))
        const mail = await run('vscode.executeDefinitionProvider', second.uri, inSecond('me@greet'))
        const folder = await run('vscode.executeDefinitionProvider', second.uri, inSecond('@[.mutsumi]'))
        const [hover] = await run('vscode.executeHoverProvider', second.uri, inSecond('@greet.ts,'))
        const mention = {
          ...{ paths: mentioned.map(({ uri }) => uri.path), mail: mail.length, folder: folder.length },
          hover: hover.contents.map(({ value }) => value).join(''),
        }
        const edit = await run('vscode.executeDocumentRenameProvider', document.uri, at('TONGUE}}'), 'SPEECH')
        await vscode.workspace.applyEdit(edit)
        const texts = notebook.getCells().map((cell) => cell.document.getText())
        const rule = vscode.workspace.textDocuments.find(({ uri }) => uri.path.endsWith('tone.md')).getText()
        await vscode.workspace.saveAll()
        return { file, macro, mention, texts, rule }
      })
      assert.equal(found.file.length, 1)
      assert.match(found.file[0].path, /greet\.ts$/)
      assert.equal(found.file[0].line, 1)
      assert.equal(found.macro[0].line, 0)
      assert.match(found.mention.paths.join(), /greet\.ts$/)
      assert.deepEqual([found.mention.mail, found.mention.folder], [0, 0])
      assert.match(found.mention.hover, /`@greet\.ts` · lines: 4, tokens: about \d+/)
      assert.match(found.mention.hover, /reminder/)
      assert.deepEqual(found.texts, [
        '#define SPEECH German\nLook at @[greet.ts:2:2] in {{SPEECH}}',
        'Again in {{SPEECH}} by @greet.ts, me@greet.ts, @[.mutsumi]',
      ])
      assert.equal(found.rule, 'Write in {{SPEECH}}.\n')
    },
  },
  {
    name: 'a broken reference and a broken mention are problems in their cell',
    async run(world) {
      const { window, inside } = world
      await session(world, 'problem')
      await window.addCell('Look at @[nowhere.ts] and @gone.ts, not me@gone.ts, @scope/package or `@x.ts`')
      const problems = await until('the problems are there', () =>
        inside((vscode) => {
          const all = vscode.languages.getDiagnostics().filter(([uri]) => uri.path.endsWith('problem.mtm'))
          const found = all.flatMap(([, each]) => each)
          return (
            found.length > 0 &&
            found.map(({ message, source, range: { start, end } }) => ({
              ...{ message, source },
              at: [start.character, end.character],
            }))
          )
        }),
      )
      assert.deepEqual(problems.map(({ source, at }) => [source, at]).sort(), [
        ['mutsumi', [26, 34]],
        ['mutsumi', [8, 21]],
      ])
      assert.match(problems.map(({ message }) => message).join('\n'), /nowhere\.ts/)
    },
  },
]
