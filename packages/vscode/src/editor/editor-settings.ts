import { type Assignment, settingNames } from '@mutsumi/host'
import * as vscode from 'vscode'

export interface EditorSettings {
  readonly user: readonly Assignment[]
  /** Settings in the project's folder. Like those of its own config, they can only make a run stricter. */
  readonly project: readonly Assignment[]
  /** The user's own, as the address is. A folder names its model in its config, which the user trusts as it is. */
  readonly model: string | undefined
  readonly baseUrl: string | undefined
}

/** The settings `mutsumi.*` that were set. */
export function editorSettings(folder: vscode.Uri | undefined): EditorSettings {
  const config = vscode.workspace.getConfiguration('mutsumi', folder)
  const found = settingNames.map((key) => ({ key, value: config.inspect(key) }))
  return {
    user: found.flatMap(({ key, value }) => assignment(key, value?.globalValue)),
    project: found.flatMap(({ key, value }) =>
      assignment(key, value?.workspaceFolderValue ?? value?.workspaceValue),
    ),
    model: textOr(config.inspect('model')?.globalValue),
    baseUrl: textOr(config.inspect('baseUrl')?.globalValue),
  }
}

function assignment(key: string, value: unknown): Assignment[] {
  if (value === undefined || value === null || value === '') return []
  const text = Array.isArray(value) ? value.join(',') : String(value)
  return [{ key, value: text, label: `mutsumi.${key}` }]
}

function textOr(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}
