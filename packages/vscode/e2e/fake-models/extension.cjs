// A provider of chat models for tests, where this version of VS Code knows such providers: it calls one tool, then answers.
const vscode = require('vscode')

exports.activate = (context) => {
  if (typeof vscode.lm.registerLanguageModelChatProvider !== 'function') return
  const provider = {
    provideLanguageModelChatInformation: () => [
      {
        id: 'parrot',
        name: 'Parrot',
        family: 'parrot',
        version: '1',
        maxInputTokens: 64_000,
        maxOutputTokens: 4_000,
        capabilities: { toolCalling: true },
      },
    ],
    async provideLanguageModelChatResponse(_model, messages, options, progress) {
      const hasResult = messages.some(({ content }) =>
        [...content].some((part) => part instanceof vscode.LanguageModelToolResultPart),
      )
      const canRead = (options.tools ?? []).some(({ name }) => name === 'Read')
      if (!hasResult && canRead)
        return progress.report(new vscode.LanguageModelToolCallPart('call-1', 'Read', { path: 'greet.ts' }))
      progress.report(new vscode.LanguageModelTextPart('A parrot of VS Code read '))
      progress.report(new vscode.LanguageModelTextPart('`greet.ts`.'))
    },
    provideTokenCount: async (_model, text) => Math.ceil(String(text.content ?? text).length / 4),
  }
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider('fake', provider))
}
