// A provider of chat models: one that calls a tool and answers, one that is not allowed, one whose quota is used up.
exports.chatModels = (vscode) => ({
  provideLanguageModelChatInformation: () =>
    ['parrot', 'locked', 'miser'].map((id) => ({
      ...{ id, name: id, family: id, version: '1' },
      ...{ maxInputTokens: 64_000, maxOutputTokens: 4_000, capabilities: { toolCalling: true } },
    })),
  async provideLanguageModelChatResponse({ id }, messages, options, progress) {
    if (id === 'locked') throw vscode.LanguageModelError.NoPermissions('you did not agree')
    if (id === 'miser') throw vscode.LanguageModelError.Blocked('Your quota is used up.')
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
})
