// The window of a VS Code, as a person uses it.
import { setTimeout as wait } from 'node:timers/promises'

export class Window {
  constructor(page) {
    this.page = page
  }

  /** Ready when the extension is there: a notebook that is opened earlier opens as text. */
  async ready() {
    await this.page.locator('.explorer-folders-view').waitFor()
    await this.page.locator('.statusbar-item', { hasText: 'Mutsumi' }).first().waitFor()
  }

  async command(name) {
    await this.page.keyboard.press('F1')
    const input = this.page.locator('.quick-input-widget input')
    await input.waitFor()
    await input.fill(`>${name}`)
    const row = this.page
      .locator('.quick-input-list .monaco-list-row', { hasText: name.replace(/^[^:]*: /, '') })
      .first()
    await row.waitFor()
    await this.page.keyboard.press('Enter')
  }

  /** Opens a file of the workspace by its name. */
  async open(name) {
    const row = this.page.locator('.explorer-folders-view .monaco-list-row', { hasText: name }).first()
    await row.waitFor()
    await row.dblclick()
    await this.page.locator('.tab.active', { hasText: name }).waitFor()
  }

  async closeAll() {
    await this.command('View: Close All Editors')
    await wait(200)
    const discard = this.page.getByRole('button', { name: /Don't Save|不保存/ })
    if (await discard.isVisible().catch(() => false)) await discard.click()
  }

  get cells() {
    return this.page.locator('.notebookOverlay .cell-list-container .monaco-list-row')
  }

  /** Adds a cell after all others. */
  async addCell(text) {
    const before = await this.cells.count()
    if (before > 0) await this.focusCell(before - 1)
    await this.page.locator('.notebook-toolbar-container').getByText('Code', { exact: true }).first().click()
    await this.cell(before).waitFor()
    await this.focusCell(before)
    await this.page.keyboard.insertText(text)
  }

  /** Rows are in no order in the page. */
  cell(index) {
    return this.page.locator(`.notebookOverlay .cell-list-container .monaco-list-row[data-index="${index}"]`)
  }

  /** A click may meet a cell that just moves, because an output above it grows. */
  async focusCell(index) {
    const row = this.cell(index)
    for (let tries = 1; ; tries++)
      try {
        await row.locator('.cell-editor-part .monaco-editor').first().click({ timeout: 10_000 })
        await row.locator('.monaco-editor.focused').waitFor({ timeout: 5_000 })
        return
      } catch (error) {
        if (tries === 4) throw error
      }
  }

  async run(index) {
    await this.focusCell(index)
    await this.page.keyboard.press('Control+Enter')
  }

  /** Something in the rounds that are shown: they are in a frame of their own. */
  async shown(selector, options = {}) {
    const deadline = Date.now() + (options.timeout ?? 30_000)
    for (;;) {
      for (const frame of this.page.frames()) {
        const found = frame.locator(selector)
        try {
          if ((await found.count()) > 0) return found.first()
        } catch {
          // The frame went away meanwhile.
        }
      }
      if (Date.now() > deadline) throw new Error(`${selector} is not shown in any round`)
      await wait(100)
    }
  }

  async status(text) {
    await this.page.locator('.statusbar-item', { hasText: text }).first().waitFor()
  }
}
