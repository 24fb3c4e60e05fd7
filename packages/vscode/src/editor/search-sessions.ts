import * as vscode from 'vscode'
import type { LineInSession } from '../agent/search-places.js'
import { positionOfRound } from '../notebook/round-position.js'
import type { NotebookFiles } from './notebook-files.js'
import { openNotebook } from './session-commands.js'
import { localRoots, type SessionsView } from './sessions-view.js'

const quietMs = 200
const mostLines = 200

interface FoundItem extends vscode.QuickPickItem {
  readonly found: LineInSession
}

/** Searches the sessions that the view lists while words are typed. The chosen line opens at its cell. */
export function searchSessionsOf(view: SessionsView, files: NotebookFiles): void {
  const pick = vscode.window.createQuickPick<FoundItem>()
  pick.title = vscode.l10n.t('Search Sessions')
  pick.placeholder = vscode.l10n.t('Words that were said, in any session of this workspace')
  pick.matchOnDescription = true
  pick.matchOnDetail = true
  let timer: NodeJS.Timeout | undefined
  let running = new AbortController()
  pick.onDidChangeValue((words) => {
    clearTimeout(timer)
    running.abort()
    running = new AbortController()
    const { signal } = running
    timer = setTimeout(() => void search(view, { pick, words, signal }), quietMs)
  })
  pick.onDidAccept(() => {
    const [chosen] = pick.selectedItems
    if (!chosen) return
    pick.hide()
    void open(chosen.found, files)
  })
  pick.onDidHide(() => {
    clearTimeout(timer)
    running.abort()
    pick.dispose()
  })
  pick.show()
}

interface Typed {
  readonly pick: vscode.QuickPick<FoundItem>
  readonly words: string
  readonly signal: AbortSignal
}

async function search(view: SessionsView, { pick, words, signal }: Typed): Promise<void> {
  const items: FoundItem[] = []
  pick.items = items
  if (words.trim() === '') return
  pick.busy = true
  const { searchPlaces } = await import('../agent/search-places.js')
  const places = { roots: localRoots(), files: await view.otherFiles() }
  for await (const found of searchPlaces(places, words.trim(), signal)) {
    if (signal.aborted) return
    items.push(itemOf(found))
    if (items.length >= mostLines) break
  }
  if (signal.aborted) return
  pick.items = items
  pick.busy = false
}

function itemOf(found: LineInSession): FoundItem {
  const { title, match, lastAt } = found
  const { line, from } = match
  // The words are near the beginning of what is shown.
  const start = Math.max(0, from - 30)
  return {
    found,
    label: `${start > 0 ? '…' : ''}${line.slice(start)}`,
    description: match.round === undefined ? '' : vscode.l10n.t('round {0}', match.round),
    detail: `$(comment-discussion) ${title} · ${new Date(lastAt).toLocaleString()}`,
  }
}

async function open({ path, match: { round = 0 } }: LineInSession, files: NotebookFiles): Promise<void> {
  await openNotebook(vscode.Uri.file(path), (notebook) =>
    positionOfRound(files.openedOf(notebook)?.session.cells ?? [], round),
  )
}
