import { localWarning } from '@mutsumi/host'
import type { Warning } from '@mutsumi/schema'
import { withoutFlags } from './remedies.js'

/** A warning as a person reads it in the editor. */
export function editorWarning(warning: Warning, language: string): Warning {
  const local = localWarning(warning, language)
  return { ...local, message: forEditor(local.message, language) }
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
