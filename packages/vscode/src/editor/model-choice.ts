import type { KnownModel } from '@mutsumi/host'
import * as vscode from 'vscode'
import { editorName } from './editor-model.js'
import type { Keys } from './keys.js'

interface ModelItem extends vscode.QuickPickItem {
  readonly known?: KnownModel
  readonly isOther?: true
}

/** Lets the user choose among the models of VS Code, of this machine and of providers. Asks for a key that is missing. */
export async function selectModel(keys: Keys): Promise<void> {
  const title = vscode.l10n.t('Which model answers?')
  const items = itemsFor(keys)
  const chosen = await vscode.window.showQuickPick<ModelItem>(items, { title, matchOnDescription: true })
  if (!chosen) return
  const model = chosen.isOther ? await typedName() : chosen.label
  if (model === undefined || model === '') return
  const config = vscode.workspace.getConfiguration('mutsumi')
  const { baseUrl, missing } = chosen.known ?? {}
  // The address of a server does not fit another provider, and would get that provider's key.
  if (chosen.known || providerOf(model) !== providerOf(config.get('model', '')))
    await config.update('baseUrl', baseUrl, vscode.ConfigurationTarget.Global)
  await config.update('model', model, vscode.ConfigurationTarget.Global)
  if (missing !== undefined) await keys.ask(chosen.known?.place)
}

async function itemsFor(keys: Keys): Promise<ModelItem[]> {
  const environment = { ...process.env, ...(await keys.environment()) }
  const { knownModels } = await import('../agent/offered-models.js')
  const [offered, known] = await Promise.all([editorItems(), knownModels(environment)])
  const other: ModelItem = { label: vscode.l10n.t('Another model…'), isOther: true }
  return [...offered, ...known.map(itemOf), other]
}

/** The editor may have no models, and may refuse to list them. */
async function editorItems(): Promise<ModelItem[]> {
  try {
    return (await vscode.lm.selectChatModels()).map((model) => ({
      label: editorName(model),
      description: `${model.name} (VS Code)`,
      detail: vscode.l10n.t(
        'No key. VS Code asks you once for permission, and its quota applies. It has no system role: system texts are sent as your first messages.',
      ),
    }))
  } catch {
    return []
  }
}

function itemOf(known: KnownModel): ModelItem {
  const description = known.model === 'offline' ? vscode.l10n.t('built in, no network') : known.place
  return { known, label: known.model, description, ...(known.missing && { detail: known.missing }) }
}

function providerOf(model: string): string {
  return model.slice(0, model.indexOf('/'))
}

function typedName(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Which model answers?'),
    prompt: vscode.l10n.t('provider/name, for example anthropic/claude-sonnet-4-5'),
  })
}
