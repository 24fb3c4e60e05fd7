// The window of VS Code, as a person uses it.
import { setTimeout as wait } from 'node:timers/promises'

export class Window {
  constructor({ page, inside }) {
    this.page = page
    this.inside = inside
  }

  /** Waits until the editor knows the extension, because a notebook that is opened earlier opens as text. */
  async ready() {
    await this.page.locator('.explorer-folders-view').waitFor()
    await this.page.locator('.activitybar [aria-label="Mutsumi"]').first().waitFor({ timeout: 60_000 })
  }

  /** The list may hold commands of similar names, and be drawn again: the row itself is clicked. */
  async command(name) {
    await this.page.keyboard.press('F1')
    const input = this.page.locator('.quick-input-widget input')
    await input.waitFor()
    await input.fill(`>${name}`)
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().click()
  }

  /** Opens a file of the workspace by its name. */
  async open(name) {
    const row = this.page.locator('.explorer-folders-view .monaco-list-row', { hasText: name }).first()
    await row.dblclick({ timeout: 10_000 }).catch(() => this.inside(openFile, name))
    await this.page.locator('.tab.active', { hasText: name }).waitFor()
  }

  async closeAll() {
    await this.inside(async (vscode) => {
      const all = [...vscode.workspace.notebookDocuments, ...vscode.workspace.textDocuments]
      const isCell = ({ uri }) => uri.scheme === 'vscode-notebook-cell'
      for (const each of all) if (each.isDirty && !isCell(each) && !each.isUntitled) await each.save()
    })
    // If a dialog opens, this waits for its answer.
    const closing = this.inside(async (vscode) => {
      await vscode.commands.executeCommand('notifications.clearAll')
      await vscode.commands.executeCommand('workbench.action.closeAllEditors')
    })
    const discard = this.page.getByRole('button', { name: /Don't Save|不保存/ })
    await Promise.race([closing, discard.click({ timeout: 60_000 })])
    await closing
    await this.page.locator('.tab').first().waitFor({ state: 'detached' })
  }

  get cells() {
    return this.page.locator('.notebookOverlay .cell-list-container .monaco-list-row')
  }

  /** Writes a cell after all others: the empty one that is there, or a new one. */
  async addCell(text) {
    // A cell that was asked brings the next prompt by itself, which must not come beside one of ours.
    for (let tries = 0; tries < 60 && (await this.inside(lastWasAsked)); tries++) await wait(50)
    const count = await this.cellCount()
    const isThere = count > 0 && (await this.inside(cellText, count - 1)) === ''
    const before = isThere ? count - 1 : count
    if (!isThere) await this.inside(addLast)
    await this.reach(before)
    await this.focusCell(before)
    await this.page.keyboard.insertText(text)
    // The extensions hear of it a moment later.
    while ((await this.inside(cellText, before)) !== text) await wait(50)
  }

  /** Scrolls until a cell is in the page. Heights are not known before, so one step may not reach it. */
  async reach(index) {
    for (let tries = 0; (await this.cell(index).count()) === 0; tries++) {
      if (tries === 100) throw new Error(`cell ${index} is not shown`)
      await this.inside(revealCell, index)
      await wait(200)
    }
  }

  /** Only some of the cells of a long notebook are in the page. */
  cellCount() {
    return this.inside((vscode) => vscode.window.activeNotebookEditor?.notebook.cellCount ?? 0)
  }

  /** The cells with a text: at the end there is an empty one. */
  writtenCount() {
    return this.inside(
      (vscode) =>
        vscode.window.activeNotebookEditor?.notebook
          .getCells()
          .filter(({ document }) => document.getText() !== '').length,
    )
  }

  /** The rows in the page have no order, so a cell is found by its index. */
  cell(index) {
    return this.page.locator(`.notebookOverlay .cell-list-container .monaco-list-row[data-index="${index}"]`)
  }

  /** A click may fail if the cell is moving, because an output above it grows, or if it is half out of view. */
  async focusCell(index) {
    const row = this.cell(index)
    const focused = row.locator('.monaco-editor.focused')
    for (let tries = 1; ; tries++)
      try {
        await row.locator('.cell-editor-part .monaco-editor .view-lines').first().click({ timeout: 3000 })
        return await focused.waitFor({ timeout: 3000 })
      } catch (error) {
        if (tries === 6) throw error
        // Another cell may cover this one until the list is laid out again.
        await this.inside(tries < 3 ? revealCell : editCell, index)
        if (tries >= 3 && (await focused.count()) > 0) return
      }
  }

  /** Runs cells of a notebook that an editor shows, and does not wait for their rounds. */
  async runCells(name, range) {
    await this.inside(selectKernel, name)
    await this.inside(executeCells, { name, range })
  }

  async run(index) {
    await this.focusCell(index)
    await this.page.keyboard.press('Control+Enter')
  }

  /** Finds an element in the shown rounds, which are in a frame of their own. */
  async shown(selector, options = {}) {
    const deadline = Date.now() + (options.timeout ?? 30_000)
    for (;;) {
      for (const frame of this.page.frames()) {
        const found = frame.locator(selector)
        try {
          if ((await found.count()) > 0) return found.first()
        } catch {
          // The frame was removed in the meantime.
        }
      }
      if (Date.now() > deadline) throw new Error(`${selector} is not shown in any round`)
      await wait(100)
    }
  }

  /** Waits until the editor has read a file that has grown, and shows it. */
  async settled(name) {
    const reading = () =>
      this.inside(
        (vscode, ending) =>
          vscode.workspace.notebookDocuments.find(({ uri }) => uri.path.endsWith(ending))?.metadata.mutsumi
            .token,
        `${name}.mtm`,
      )
    for (let [before, same] = [await reading(), 0]; same < 8; ) {
      await wait(200)
      const now = await reading()
      same = now === before ? same + 1 : 0
      before = now
    }
  }

  /** Presses Tab until something in the rounds has the focus. */
  async tabTo(selector) {
    for (let presses = 0; presses < 40; presses++) {
      for (const frame of this.page.frames())
        if (await frame.evaluate(hasFocus, selector).catch(() => false)) return
      await this.page.keyboard.press('Tab')
    }
    throw new Error(`no way to ${selector} with the keyboard`)
  }

  /** The rows of a view of ours, by its title. */
  view(title) {
    const header = this.page.locator('.pane-header', { hasText: title })
    return this.page.locator('.pane', { has: header }).locator('.monaco-list-row')
  }

  async status(text) {
    await this.page.locator('.statusbar-item', { hasText: text }).first().waitFor()
  }
}

/** Runs inside the editor, for a file that is not among those that the list shows. */
async function openFile(vscode, name) {
  const [{ uri }] = vscode.workspace.workspaceFolders
  await vscode.commands.executeCommand('vscode.open', vscode.Uri.joinPath(uri, name))
}

/** Runs inside the editor. */
async function addLast(vscode) {
  const editor = vscode.window.activeNotebookEditor
  const { notebook } = editor
  const at = notebook.cellCount
  const cell = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, '', 'mutsumi')
  const edit = new vscode.WorkspaceEdit()
  edit.set(notebook.uri, [vscode.NotebookEdit.insertCells(at, [cell])])
  await vscode.workspace.applyEdit(edit)
  const range = new vscode.NotebookRange(at, at + 1)
  editor.selections = [range]
  editor.revealRange(range, vscode.NotebookEditorRevealType.InCenter)
}

/** Runs inside the editor. */
function cellText(vscode, index) {
  return vscode.window.activeNotebookEditor?.notebook.getCells()[index]?.document.getText()
}

/** Runs inside the editor. */
function lastWasAsked(vscode) {
  const last = vscode.window.activeNotebookEditor?.notebook.getCells().at(-1)
  return last !== undefined && last.outputs.length > 0 && last.document.getText() !== ''
}

/** Runs inside the editor. */
function revealCell(vscode, index) {
  const range = new vscode.NotebookRange(index, index + 1)
  vscode.window.activeNotebookEditor?.revealRange(range, vscode.NotebookEditorRevealType.InCenter)
}

/** Runs inside the editor: selects a cell and puts the cursor into it. */
async function editCell(vscode, index) {
  const editor = vscode.window.activeNotebookEditor
  if (!editor) return
  editor.selections = [new vscode.NotebookRange(index, index + 1)]
  await vscode.commands.executeCommand('notebook.cell.edit')
}

/** Runs inside the editor. A notebook that was opened a moment ago has no kernel yet, and then running does nothing. */
async function selectKernel(vscode, name) {
  const kernel = { id: 'mutsumi', extension: 'mutsumi.mutsumi' }
  for (let tries = 0; tries < 300; tries++) {
    const editor = vscode.window.visibleNotebookEditors.find(({ notebook }) =>
      notebook.uri.path.endsWith(name),
    )
    const selected =
      editor &&
      (await vscode.commands.executeCommand('notebook.selectKernel', { notebookEditor: editor, ...kernel }))
    if (selected) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${name} has no kernel`)
}

/** Runs inside the editor, which may ignore the command while it still arranges a notebook that was just opened. */
async function executeCells(vscode, { name, range }) {
  const notebook = vscode.workspace.notebookDocuments.find(({ uri }) => uri.path.endsWith(name))
  const first = notebook.cellAt(range.start)
  for (let tries = 0; tries < 4; tries++) {
    void vscode.commands.executeCommand('notebook.cell.execute', { ranges: [range], document: notebook.uri })
    for (let waits = 0; waits < 100; waits++) {
      if (first.outputs.length > 0) return
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  throw new Error(`the cells of ${name} do not run`)
}

/** Runs in a page; the rounds may be in shadow trees. */
function hasFocus(selector) {
  let { activeElement } = document
  while (activeElement?.shadowRoot?.activeElement) activeElement = activeElement.shadowRoot.activeElement
  return activeElement?.matches(selector) ?? false
}
