import * as vscode from 'vscode'
import { messageText } from '../language/plain-text.js'
import { count } from '../notebook/context-tree.js'
import { isLocal } from './places.js'
import { activeNotebook, type Previews } from './previews.js'

/** Tools for other chats in this editor: the context of the active notebook, and results in full. */
export function registerModelTools(previews: Previews): vscode.Disposable {
  /** The notebook that the user was asked about last. */
  let asked: string | undefined
  const prepared = (words: (name: string) => InvocationWords) => {
    asked = activeNotebook()?.notebook.uri.toString()
    return preparedFor(asked, words)
  }
  /** The user may open another notebook before they answer. */
  const isAsked = () => activeNotebook()?.notebook.uri.toString() === asked
  return vscode.Disposable.from(
    vscode.lm.registerTool('mutsumi_context', {
      prepareInvocation: () =>
        prepared((name) => ({
          invocationMessage: vscode.l10n.t('Reading the context of {0}', name),
          title: vscode.l10n.t('Show this chat the context of {0}?', name),
          message: vscode.l10n.t(
            'Its model will see the names and sizes of the rules, files and tool results in the next request.',
          ),
        })),
      async invoke() {
        if (!isAsked()) return answer(otherNotebook)
        const preview = await previews.build()
        return answer(preview ? describe(preview) : 'No Mutsumi notebook is open.')
      },
    }),
    vscode.lm.registerTool<{ readonly id: string }>('mutsumi_recall', {
      prepareInvocation: ({ input }) =>
        prepared((name) => ({
          invocationMessage: vscode.l10n.t('Reading the result {0} of {1}', String(input.id), name),
          title: vscode.l10n.t('Show this chat a tool result of {0}?', name),
          message: vscode.l10n.t(
            'Its model will see all of the result {0}, which may contain text of your files.',
            String(input.id),
          ),
        })),
      async invoke({ input }) {
        const uri = activeNotebook()?.notebook.uri
        if (!uri || !isLocal(uri)) return answer('No Mutsumi notebook is open.')
        if (!isAsked()) return answer(otherNotebook)
        const { recalledText } = await import('../agent/result-text.js')
        const text = await recalledText(uri.fsPath, String(input.id))
        return answer(text ?? `There is no result with the id ${String(input.id)}.`)
      },
    }),
  )
}

const otherNotebook =
  'Another notebook is active now, and the user was not asked about it. Call the tool again.'

interface InvocationWords {
  readonly invocationMessage: string
  readonly title: string
  readonly message: string
}

/** Asks before another chat sees something of the notebook. If none is open, there is nothing to see. */
function preparedFor(
  notebook: string | undefined,
  words: (name: string) => InvocationWords,
): vscode.PreparedToolInvocation | undefined {
  if (notebook === undefined) return undefined
  const { path } = vscode.Uri.parse(notebook)
  const { invocationMessage, title, message } = words(path.slice(path.lastIndexOf('/') + 1))
  // Names and ids are no Markdown.
  const plain = (text: string) => new vscode.MarkdownString().appendText(text)
  return {
    invocationMessage: plain(invocationMessage),
    confirmationMessages: { title: messageText(title), message: plain(message) },
  }
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
