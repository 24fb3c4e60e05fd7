import type { Preset } from '@mutsumi/model'
import * as vscode from 'vscode'

const prefix = 'mutsumi.key.'

/** Keys of providers, in the editor's secret storage. A model gets its key as an environment variable. */
export class Keys {
  readonly #secrets: vscode.SecretStorage

  constructor(secrets: vscode.SecretStorage) {
    this.#secrets = secrets
  }

  async environment(): Promise<NodeJS.ProcessEnv> {
    const names = (await presets()).flatMap(({ keyVariables: [first] }) => first ?? [])
    const found = await Promise.all(
      [...names, 'MUTSUMI_API_KEY'].map(
        async (name) => [name, await this.#secrets.get(prefix + name)] as const,
      ),
    )
    return Object.fromEntries(found.filter(([, key]) => key !== undefined))
  }

  /** Asks for a provider, unless one is given, and its key. An empty key deletes the stored one. */
  async ask(provider?: string): Promise<void> {
    const choices = (await presets()).flatMap(({ name, keyVariables: [variable], needsKey }) =>
      needsKey && variable ? [{ label: name, description: variable, variable }] : [],
    )
    const own = {
      label: vscode.l10n.t('Another server'),
      description: 'mutsumi.baseUrl',
      variable: 'MUTSUMI_API_KEY',
    }
    const chosen =
      choices.find(({ label }) => label === provider) ??
      (await vscode.window.showQuickPick([...choices, own], {
        title: vscode.l10n.t('Whose key do you want to store?'),
      }))
    if (!chosen) return
    const key = await vscode.window.showInputBox({
      title: vscode.l10n.t('Key of {0}', chosen.label),
      prompt: vscode.l10n.t(
        'The editor keeps it in its secret storage. Leave it empty to delete the stored key.',
      ),
      password: true,
      ignoreFocusOut: true,
    })
    if (key === undefined) return
    if (key === '') await this.#secrets.delete(prefix + chosen.variable)
    else await this.#secrets.store(prefix + chosen.variable, key.trim())
  }
}

async function presets(): Promise<readonly Preset[]> {
  const { listPresets } = await import('@mutsumi/model')
  return listPresets(process.env)
}
