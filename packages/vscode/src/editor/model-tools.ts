import * as vscode from 'vscode'
import { count } from '../notebook/context-tree.js'
import { isLocal } from './places.js'
import { activeNotebook, type Previews } from './previews.js'

/** Tools for other chats in this editor: the context of the active notebook, and results in full. */
export function registerModelTools(previews: Previews): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.lm.registerTool('mutsumi_context', {
      async invoke() {
        const preview = await previews.build()
        return answer(preview ? describe(preview) : 'No Mutsumi notebook is open.')
      },
    }),
    vscode.lm.registerTool<{ readonly id: string }>('mutsumi_recall', {
      async invoke({ input }) {
        const uri = activeNotebook()?.notebook.uri
        if (!uri || !isLocal(uri)) return answer('No Mutsumi notebook is open.')
        const { recalledText } = await import('../agent/result-text.js')
        const text = await recalledText(uri.fsPath, String(input.id))
        return answer(text ?? `There is no result with the id ${String(input.id)}.`)
      },
    }),
  )
}

function describe({ model, tokens, items }: NonNullable<Previews['latest']>): string {
  const lines = items.map(({ type, key, tokens: size, dropped, pinned }) => {
    const marks = `${pinned ? ', pinned' : ''}${dropped ? ', left out' : ''}`
    return `- ${type} ${key}: ${size} tokens${marks}`
  })
  return [`${model}: ${count(tokens.total)} of ${count(tokens.window)} tokens`, ...lines].join('\n')
}

function answer(text: string): vscode.LanguageModelToolResult {
  return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)])
}
