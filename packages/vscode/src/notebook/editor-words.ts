import { localWarning } from '@mutsumi/host'
import type { Warning } from '@mutsumi/schema'
import { withoutFlags } from './remedies.js'

/** A warning as a person reads it in the editor. */
export function editorWarning(warning: Warning, language: string): Warning {
  const local = localWarning(warning, language)
  const message = forEditor(local.message, language).replace(mentionedCell, numbered)
  return { ...local, source: local.source.replace(/^(cell )(\d+)$/, numbered), message }
}

const mentionedCell = /(\bcell |单元格 )(\d+)(?= (?:mentioned|提到))/

/** A session counts its cells from 0, the editor from 1. */
function numbered(_: string, before: string, index: string): string {
  return `${before}${Number(index) + 1}`
}

/** A message of Mutsumi with the editor's commands instead of the terminal's, and without flags. */
export function forEditor(message: string, language: string): string {
  const isChinese = language.toLowerCase().startsWith('zh')
  const named = commands.reduce((text, { terminal, titles }) => {
    const title = isChinese ? `“${titles.zh}”` : `"${titles.en}"`
    return text.replace(terminal, title)
  }, message)
  return withoutFlags(named)
}

/** Advice for a terminal that has a command in the editor, by its title. */
export const commands = [
  { terminal: /`?mutsumi compact --undo`?/g, titles: { en: 'Undo Compaction', zh: '撤销压缩' } },
  { terminal: /`?mutsumi export(?: --format json)?`?/g, titles: { en: 'Export', zh: '导出' } },
  {
    terminal: /`?mutsumi trust`?|(?<=[(（])--trust(?=[)）])/g,
    titles: { en: 'Trust This Folder', zh: '信任此文件夹' },
  },
] as const
