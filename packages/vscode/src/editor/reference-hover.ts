import type { MentionPlace } from '@mutsumi/context/parts'
import * as vscode from 'vscode'
import type { DescribedReference } from '../agent/describe-reference.js'
import { codeSpan } from '../language/plain-text.js'

/** A reference or a mention as it is written, with a description of its target. */
export function referenceHover(
  written: string,
  described: DescribedReference,
  note?: string | undefined,
): vscode.Hover {
  const markdown = new vscode.MarkdownString()
  markdown.appendMarkdown(`${codeSpan(written)} · ${aboutOf(described)}\n\n`)
  if (note !== undefined) markdown.appendText(note).appendMarkdown('\n\n')
  if (described.kind === 'file') markdown.appendCodeblock(described.sample, described.language)
  return new vscode.Hover(markdown)
}

/** Explains the effect of a mention. */
export function mentionNote({ kind, isIncluded }: Pick<MentionPlace, 'kind' | 'isIncluded'>): string {
  if (isIncluded) return vscode.l10n.t('The prompt also includes it as @[…], so its content is sent.')
  return kind === 'folder'
    ? vscode.l10n.t('The model gets a reminder to list this folder. For its content, write @[…].')
    : vscode.l10n.t('The model gets a reminder to read this file. For its content, write @[…].')
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
