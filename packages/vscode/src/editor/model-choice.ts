import type { KnownModel } from '@mutsumi/host'
import * as vscode from 'vscode'
import { messageText } from '../language/plain-text.js'
import { editorName } from './editor-model.js'
import type { Keys } from './keys.js'
import type { NotebookModel, NotebookModels } from './notebook-models.js'
import { activeNotebook, type Previews } from './previews.js'

export interface ModelWorld {
  readonly keys: Keys
  readonly models: NotebookModels
  readonly previews: Pick<Previews, 'latest'>
}

interface ModelItem extends vscode.QuickPickItem {
  readonly chosen?: NotebookModel
  readonly known?: KnownModel
  readonly other?: 'settings' | 'server' | 'name'
}

/**
 * Lets the user choose among the models that answer: of VS Code, of this machine, of providers with a key, of a server of the
 * user's own. The notebook in front gets it; without one, all notebooks. Asks for a key that is missing.
 */
export async function selectModel(world: ModelWorld): Promise<void> {
  const { keys, models } = world
  const { notebook } = activeNotebook() ?? {}
  const title = notebook
    ? vscode.l10n.t('Which model answers in this notebook?')
    : vscode.l10n.t('Which model answers?')
  const placeHolder = vscode.l10n.t('The providers are asked what they offer. Models that answer come first.')
  const options = { title, placeHolder, matchOnDescription: true }
  const picked = await vscode.window.showQuickPick<ModelItem>(itemsFor(world, notebook), options)
  if (!picked) return
  if (picked.other === 'settings') return notebook && models.choose(notebook, undefined)
  const chosen = await chosenBy(picked, keys)
  if (!chosen) return
  const { lack, place } = picked.known ?? {}
  if ((lack === 'setup' || lack === 'accepted-key') && place !== undefined) await keys.ask(place)
  if (!notebook) return useEverywhere(chosen)
  await models.choose(notebook, chosen)
  offerEverywhere(chosen)
}

async function itemsFor(
  { keys, models, previews }: ModelWorld,
  notebook: vscode.NotebookDocument | undefined,
): Promise<ModelItem[]> {
  const environment = { ...process.env, ...(await keys.environment()) }
  const { knownModels } = await import('../agent/offered-models.js')
  const server = vscode.workspace.getConfiguration('mutsumi').get<string>('baseUrl') || undefined
  const [offered, known] = await Promise.all([editorItems(), knownModels(environment, server)])
  const now = previews.latest?.model
  const items = [...offered, ...known.map(itemOf)]
  const usable = items.filter((item) => item.known?.missing === undefined)
  return [
    ...(notebook ? recordedItems(notebook, models) : []),
    ...group(
      vscode.l10n.t('answers now'),
      usable.map((item) => marked(item, now)),
    ),
    ...group(vscode.l10n.t('other'), otherItems()),
    ...group(
      vscode.l10n.t('does not answer'),
      items.filter((item) => !usable.includes(item)),
    ),
  ]
}

function group(label: string, items: readonly ModelItem[]): readonly ModelItem[] {
  return items.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...items]
}

function marked(item: ModelItem, now: string | undefined): ModelItem {
  return item.chosen?.model === now ? { ...item, label: `$(check) ${item.label}` } : item
}

/** The model that the session names, and the way back to the one of the settings. */
function recordedItems(notebook: vscode.NotebookDocument, models: NotebookModels): readonly ModelItem[] {
  const named = models.named(notebook)
  const description = vscode.l10n.t('recorded in this session, chosen elsewhere')
  if (named !== undefined) return [{ label: named, description, chosen: { model: named } }]
  const own = models.of(notebook)
  if (!own) return []
  const label = vscode.l10n.t('The model of the settings')
  return [{ label, description: vscode.l10n.t('instead of {0}', own.model), other: 'settings' }]
}

function otherItems(): readonly ModelItem[] {
  return [
    { label: vscode.l10n.t('A server of your own…'), description: 'http://…/v1', other: 'server' },
    { label: vscode.l10n.t('Another model…'), other: 'name' },
  ]
}

/** The editor may have no models, and may refuse to list them. */
async function editorItems(): Promise<ModelItem[]> {
  try {
    return (await vscode.lm.selectChatModels()).map((model) => ({
      label: editorName(model),
      chosen: { model: editorName(model) },
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
  const { model, baseUrl, place } = known
  const description = model === 'offline' ? vscode.l10n.t('built in, no network') : place
  const chosen = { model, ...(baseUrl !== undefined && { baseUrl }) }
  const detail = lackOf(known)
  return { known, chosen, label: model, description, ...(detail !== undefined && { detail }) }
}

function lackOf({ lack, missing = '', place }: KnownModel): string | undefined {
  switch (lack) {
    case undefined:
      return undefined
    case 'setup':
      return vscode.l10n.t('Needs a key of {0}. Choose it to store one.', place)
    case 'accepted-key':
      return vscode.l10n.t('{0} does not accept the key. Choose it to store another one.', place)
    case 'answer':
      return vscode.l10n.t('No answer: {0}', missing)
    default:
      return lack satisfies never
  }
}

async function chosenBy({ chosen, other }: ModelItem, keys: Keys): Promise<NotebookModel | undefined> {
  if (other === 'server') return modelOfServer(keys)
  if (other !== 'name') return chosen
  const model = await typedName()
  return model === undefined || model.trim() === '' ? undefined : { model: model.trim() }
}

/** Asks for an address, and lists the models there. */
async function modelOfServer(keys: Keys): Promise<NotebookModel | undefined> {
  const isAddress = (text: string) => /^https?:\/\/[^\s/]/.test(text.trim()) && URL.canParse(text.trim())
  const given = await vscode.window.showInputBox({
    title: vscode.l10n.t('Where is the server?'),
    prompt: vscode.l10n.t(
      'The address of a server with the API of OpenAI, for example {0}',
      'http://127.0.0.1:8000/v1',
    ),
    validateInput: (text) =>
      isAddress(text) ? undefined : vscode.l10n.t('An address begins with http:// or https://'),
  })
  if (given === undefined) return undefined
  const baseUrl = given.trim().replace(/\/+$/, '')
  const { modelsAt } = await import('../agent/offered-models.js')
  const found = await modelsAt(baseUrl, { ...process.env, ...(await keys.environment()) })
  if (found.length === 0) {
    const text = vscode.l10n.t('{0} lists no models. Type the name of one.', baseUrl)
    void vscode.window.showInformationMessage(messageText(text))
    const name = await typedName('openai-compatible/')
    return name === undefined || name.endsWith('/') ? undefined : { model: name, baseUrl }
  }
  const items = found.map(({ model }) => ({ label: model }))
  const picked = await vscode.window.showQuickPick(items, { title: baseUrl })
  return picked && { model: picked.label, baseUrl }
}

function typedName(value = ''): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Which model answers?'),
    prompt: vscode.l10n.t('provider/name, for example anthropic/claude-sonnet-4-5'),
    value,
  })
}

/** The notebook has it. Other notebooks get it only if the user wants that. */
function offerEverywhere(chosen: NotebookModel): void {
  if (vscode.workspace.getConfiguration('mutsumi').get('model') === chosen.model) return
  const text = vscode.l10n.t('{0} answers in this notebook from now on.', chosen.model)
  const everywhere = vscode.l10n.t('Use in All Notebooks')
  // The choice holds already, so nobody waits for this answer.
  void vscode.window
    .showInformationMessage(messageText(text), everywhere)
    .then((given) => (given === everywhere ? useEverywhere(chosen) : undefined))
}

/** The address of another server would get the key of this model, so both settings change together. */
async function useEverywhere({ model, baseUrl }: NotebookModel): Promise<void> {
  const config = vscode.workspace.getConfiguration('mutsumi')
  if (baseUrl !== undefined || providerOf(model) !== providerOf(config.get('model', '')))
    await config.update('baseUrl', baseUrl, vscode.ConfigurationTarget.Global)
  await config.update('model', model, vscode.ConfigurationTarget.Global)
}

function providerOf(model: string): string {
  return model.slice(0, model.indexOf('/'))
}
