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
      await page.keyboard.press('Enter')
      await window.cell(0).getByText('@[greet.ts]').first().waitFor()
      await page.keyboard.type(' in {{LAN')
      await offered.filter({ hasText: 'LANGUAGE' }).first().waitFor()
      await page.keyboard.press('Enter')
      await window.cell(0).getByText('{{LANGUAGE}}').first().waitFor()
      await page.keyboard.type(' by @[Gre')
      await offered.filter({ hasText: /^Grep/ }).first().waitFor()
      await page.keyboard.press('Escape')
      await page.keyboard.press('Control+S')
      await until('the prompt is saved', () =>
        records(world, 'complete').some(({ content }) => content?.includes('@[greet.ts] in {{LANGUAGE}}')),
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
      await window.addCell('Again in {{TONGUE}}')
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
        const edit = await run('vscode.executeDocumentRenameProvider', document.uri, at('TONGUE}}'), 'SPEECH')
        await vscode.workspace.applyEdit(edit)
        const texts = notebook.getCells().map((cell) => cell.document.getText())
        const rule = vscode.workspace.textDocuments.find(({ uri }) => uri.path.endsWith('tone.md')).getText()
        await vscode.workspace.saveAll()
        return { file, macro, texts, rule }
      })
      assert.equal(found.file.length, 1)
      assert.match(found.file[0].path, /greet\.ts$/)
      assert.equal(found.file[0].line, 1)
      assert.equal(found.macro[0].line, 0)
      assert.deepEqual(found.texts, [
        '#define SPEECH German\nLook at @[greet.ts:2:2] in {{SPEECH}}',
        'Again in {{SPEECH}}',
      ])
      assert.equal(found.rule, 'Write in {{SPEECH}}.\n')
    },
  },
  {
    name: 'a broken reference is a problem in its cell',
    async run(world) {
      const { window, inside } = world
      await session(world, 'problem')
      await window.addCell('Look at @[nowhere.ts]')
      const problems = await until('the problem is there', () =>
        inside(
          (vscode) =>
            vscode.languages
              .getDiagnostics()
              .filter(([uri]) => uri.path.endsWith('problem.mtm'))
              .flatMap(([, all]) =>
                all.map(({ message, source, range }) => ({ message, source, from: range.start.character })),
              )[0],
        ),
      )
      assert.equal(problems.source, 'mutsumi')
      assert.match(problems.message, /nowhere\.ts/)
      assert.equal(problems.from, 8)
    },
  },
]
