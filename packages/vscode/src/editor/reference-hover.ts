import * as vscode from 'vscode'
import type { DescribedReference } from '../agent/describe-reference.js'
import { codeSpan } from '../language/plain-text.js'

/** A reference with a description of its target. */
export function referenceHover(content: string, described: DescribedReference): vscode.Hover {
  const markdown = new vscode.MarkdownString()
  markdown.appendMarkdown(`${codeSpan(`@[${content}]`)} · ${aboutOf(described)}\n\n`)
  if (described.kind === 'file') markdown.appendCodeblock(described.sample, described.language)
  return new vscode.Hover(markdown)
}

function aboutOf(described: DescribedReference): string {
  switch (described.kind) {
    case 'file':
      return vscode.l10n.t('lines: {0}, tokens: about {1}', described.lines, described.tokens)
    case 'folder':
      return vscode.l10n.t('a folder, entries: {0}', described.entries)
    case 'picture':
      return vscode.l10n.t('a picture')
    case 'tool':
      return vscode.l10n.t('the tool {0} runs when the prompt is sent', codeSpan(described.name))
    case 'fault':
      return codeSpan(described.message)
    default:
      return described satisfies never
  }
}
