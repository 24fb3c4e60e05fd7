import type { MentionPlace } from '@mutsumi/context/parts'
import {
  type CompletionSite,
  commandOffers,
  completionSite,
  type Macros,
  macroOffers,
  mentionOffer,
  type Offer,
  type OfferedTool,
  referenceOffer,
  toolOffers,
} from '@mutsumi/host'
import { isMacroName } from '@mutsumi/schema'
import * as vscode from 'vscode'
import { type MacroPlace, macroAt, macroPlaces } from '../language/macro-places.js'
import { codeSpan } from '../language/plain-text.js'
import { type ReferencePlace, referenceAt } from '../language/reference-places.js'
import { commandsFor, type UserCommandSite, userCommandSite } from '../language/user-command-site.js'
import { filePath } from '../language/workspace-path.js'
import type { Agents } from './agents.js'
import { notebookType, promptLanguage } from './notebook-files.js'
import { isLocal, rootOf, rootUriOf } from './places.js'
import { mentionNote, referenceHover } from './reference-hover.js'
import { describeRemote, remoteFiles, WorkspaceFiles } from './workspace-files.js'

/** Rules and user commands. */
export const documentSelector = { pattern: '**/.mutsumi/{rules,commands}/**/*.md' }
const selector: vscode.DocumentSelector = [{ language: promptLanguage, notebookType }, documentSelector]

/** Completion, hover, definition and rename. `language/` and the host make the decisions. */
export class LanguageFeatures
  implements
    vscode.CompletionItemProvider,
    vscode.HoverProvider,
    vscode.DefinitionProvider,
    vscode.RenameProvider,
    vscode.Disposable
{
  readonly #agents: Agents
  readonly #registered: vscode.Disposable
  readonly #files: WorkspaceFiles

  constructor(agents: Agents) {
    this.#agents = agents
    this.#files = new WorkspaceFiles(agents)
    this.#registered = vscode.Disposable.from(
      vscode.languages.registerCompletionItemProvider(selector, this, '@', '[', '{', '/', '"', ' '),
      vscode.languages.registerHoverProvider(selector, this),
      vscode.languages.registerDefinitionProvider(selector, this),
      vscode.languages.registerRenameProvider(selector, this),
    )
  }

  async provideCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<vscode.CompletionList | undefined> {
    const [text, offset] = [document.getText(), document.offsetAt(position)]
    const called = isPrompt(document) ? userCommandSite(text, offset) : undefined
    if (called) return new vscode.CompletionList(await this.#commands(called, document))
    const site = completionSite(text, offset)
    if (!site) return undefined
    const offers = await this.#offers(site, document)
    const range = new vscode.Range(document.positionAt(site.from), document.positionAt(site.to))
    const typed = document.getText(new vscode.Range(range.start, position))
    const items = offers.map((offer, index) => itemOf(offer, { site, range, typed, index }))
    return new vscode.CompletionList(items, true)
  }

  async provideHover(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<vscode.Hover | undefined> {
    const text = document.getText()
    const offset = document.offsetAt(position)
    const place = referenceAt(text, offset)
    if (place) return this.#hoverReference(place, document)
    const mention = await this.#mentionAt(document, offset)
    if (mention) return this.#hoverMention(mention, document)
    const macro = macroAt(text, offset)
    if (!macro) return undefined
    const value = (await this.#macros(document))[macro.name]
    const said = value === undefined ? vscode.l10n.t('not defined') : codeSpan(value)
    return new vscode.Hover(new vscode.MarkdownString(`**${macro.name}** = ${said}`))
  }

  async provideDefinition(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<vscode.Definition | undefined> {
    const text = document.getText()
    const offset = document.offsetAt(position)
    const { reference } = referenceAt(text, offset) ?? {}
    if (reference?.kind === 'path') {
      const line = Math.max(0, (reference.range?.start ?? 1) - 1)
      return fileLocation(targetOf(reference.path, document.uri), line)
    }
    const mention = await this.#mentionAt(document, offset)
    if (mention) return fileLocation(targetOf(mention.path, document.uri), 0)
    const macro = macroAt(text, offset)
    if (!macro) return undefined
    const places = await macroDocuments(document, macro.name)
    return places.flatMap(({ other, found }) =>
      found.filter(({ isDefinition }) => isDefinition).map((place) => locationOf(other, place)),
    )
  }

  prepareRename(document: vscode.TextDocument, position: vscode.Position): vscode.Range {
    const macro = macroAt(document.getText(), document.offsetAt(position))
    if (!macro) throw new Error(vscode.l10n.t('Only macros can be renamed.'))
    return rangeOf(document, macro)
  }

  async provideRenameEdits(
    document: vscode.TextDocument,
    position: vscode.Position,
    newName: string,
  ): Promise<vscode.WorkspaceEdit> {
    if (!isMacroName(newName))
      throw new Error(
        vscode.l10n.t('{0} is not a name. Use letters, digits and _, and no digit first.', newName),
      )
    const macro = macroAt(document.getText(), document.offsetAt(position))
    const edit = new vscode.WorkspaceEdit()
    if (!macro) return edit
    for (const { other, found } of await macroDocuments(document, macro.name))
      for (const place of found) edit.replace(other.uri, rangeOf(other, place), newName)
    return edit
  }

  dispose(): void {
    this.#registered.dispose()
  }

  async #offers(site: CompletionSite, document: vscode.TextDocument): Promise<readonly Offer[]> {
    switch (site.kind) {
      case 'mention':
        return (await this.#files.find(site.query, document.uri)).map((path) => mentionOffer(path, site))
      case 'reference': {
        const paths = (await this.#files.find(site.query, document.uri)).map((path) =>
          referenceOffer(path, site),
        )
        return [...paths, ...toolOffers(site, await this.#tools(document))]
      }
      case 'macro':
        return macroOffers(site, await this.#macros(document))
      case 'command':
        return commandOffers(site, await this.#macros(document))
      default:
        return site satisfies never
    }
  }

  /** The user's own commands. */
  async #commands(site: UserCommandSite, document: vscode.TextDocument): Promise<vscode.CompletionItem[]> {
    if (!isLocal(document.uri)) return []
    const { toolbox, run } = await this.#agents.of(document.uri)
    const { listCommands } = await import('@mutsumi/tools')
    const all = await listCommands({ workspace: toolbox.workspace, trusted: run.trusted })
    const range = new vscode.Range(document.positionAt(site.from), document.positionAt(site.to))
    return commandsFor(site, all).map(({ name, description, params }) => {
      const item = new vscode.CompletionItem(`/${name}`, vscode.CompletionItemKind.Event)
      // Its arguments follow.
      item.insertText = `/${name} `
      item.range = range
      item.detail = params.join(' ')
      item.documentation = description
      return item
    })
  }

  /** Tools do not run on a virtual file system. */
  async #tools({ uri }: vscode.TextDocument): Promise<readonly OfferedTool[]> {
    return isLocal(uri) ? (await this.#agents.of(uri)).toolbox.tools : []
  }

  async #macros(document: vscode.TextDocument): Promise<Macros> {
    const cells = cellsOf(document)
    const { definedMacros, knownMacros } = await import('../agent/known-macros.js')
    const own = definedMacros(cells.map((cell) => cell.getText()))
    if (!isLocal(document.uri)) return own
    return knownMacros((await this.#agents.of(document.uri)).toolbox.workspace, own)
  }

  async #hoverReference({ content, reference }: ReferencePlace, document: vscode.TextDocument) {
    const { uri } = document
    if (!isLocal(uri) && reference.kind === 'path')
      return referenceHover(`@[${content}]`, await describeRemote(targetOf(reference.path, uri)))
    const { describeReference } = await import('../agent/describe-reference.js')
    return referenceHover(`@[${content}]`, await describeReference(await this.#agents.of(uri), content))
  }

  /** `@path` means something in prompts only. */
  async #mentionAt(document: vscode.TextDocument, offset: number): Promise<MentionPlace | undefined> {
    if (!isPrompt(document)) return undefined
    const { uri } = document
    const { mentionAt, mentionIn } = await import('../agent/mention-place.js')
    return isLocal(uri)
      ? mentionAt(await this.#agents.of(uri), document.getText(), offset)
      : mentionIn(remoteFiles(rootUriOf(uri)), document.getText(), offset)
  }

  async #hoverMention(mention: MentionPlace, document: vscode.TextDocument): Promise<vscode.Hover> {
    const { uri } = document
    const { describePath } = await import('../agent/describe-reference.js')
    const described = isLocal(uri)
      ? await describePath(await this.#agents.of(uri), mention)
      : await describeRemote(targetOf(mention.path, uri))
    const written = document.getText(rangeOf(document, mention))
    return referenceHover(written, described, mentionNote(mention))
  }
}

/** The file that a reference names. */
function targetOf(path: string, uri: vscode.Uri): vscode.Uri {
  return isLocal(uri)
    ? vscode.Uri.file(filePath(path, rootOf(uri)))
    : vscode.Uri.joinPath(rootUriOf(uri), path)
}

/** An editor cannot open a folder, a pattern or a file that does not exist. */
async function fileLocation(target: vscode.Uri, line: number): Promise<vscode.Location | undefined> {
  const type = await vscode.workspace.fs.stat(target).then(
    (stat) => stat.type,
    () => vscode.FileType.Unknown,
  )
  return type & vscode.FileType.File ? new vscode.Location(target, new vscode.Position(line, 0)) : undefined
}

function isPrompt({ languageId }: vscode.TextDocument): boolean {
  return languageId === promptLanguage
}

interface ItemPlace {
  readonly site: CompletionSite
  readonly range: vscode.Range
  /** The text that is already written. The editor compares it with the offers. */
  readonly typed: string
  readonly index: number
}

function itemOf({ text, label = text, detail, cursor }: Offer, place: ItemPlace): vscode.CompletionItem {
  const item = new vscode.CompletionItem(label, kindOf(label, place.site))
  item.insertText = cursor === undefined ? text : withCursor(text, cursor)
  item.range = place.range
  item.filterText = place.typed
  item.sortText = String(place.index).padStart(5, '0')
  if (detail !== undefined) item.detail = detail
  if (label.endsWith('/')) item.command = { command: 'editor.action.triggerSuggest', title: '' }
  return item
}

function kindOf(label: string, { kind }: CompletionSite): vscode.CompletionItemKind {
  if (kind === 'macro') return vscode.CompletionItemKind.Constant
  if (kind === 'command') return vscode.CompletionItemKind.Keyword
  if (/^\w+\{/.test(label)) return vscode.CompletionItemKind.Function
  return label.endsWith('/') ? vscode.CompletionItemKind.Folder : vscode.CompletionItemKind.File
}

/** Escapes `$`, `}` and `\`, which have a meaning in a snippet. */
function withCursor(text: string, cursor: number): vscode.SnippetString {
  const plain = (part: string) => part.replace(/[\\$}]/g, '\\$&')
  return new vscode.SnippetString(`${plain(text.slice(0, cursor))}$0${plain(text.slice(cursor))}`)
}

/** The prompts of a document's notebook; the document itself if it is in none. */
function cellsOf(document: vscode.TextDocument): readonly vscode.TextDocument[] {
  const notebook = vscode.workspace.notebookDocuments.find((each) =>
    each.getCells().some((cell) => cell.document === document),
  )
  return notebook?.getCells().map((cell) => cell.document) ?? [document]
}

/** Everything that may name a macro: the notebook's prompts, and the rules. */
async function macroDocuments(document: vscode.TextDocument, name: string) {
  const rules = await vscode.workspace.findFiles('.mutsumi/{rules,commands}/**/*.md', null, 200)
  const documents = [
    ...cellsOf(document),
    ...(await Promise.all(rules.map((uri) => vscode.workspace.openTextDocument(uri)))),
  ]
  return [...new Set(documents)].map((other) => ({
    other,
    found: macroPlaces(other.getText()).filter((place) => place.name === name),
  }))
}

function rangeOf(document: vscode.TextDocument, { from, to }: Pick<MacroPlace, 'from' | 'to'>): vscode.Range {
  return new vscode.Range(document.positionAt(from), document.positionAt(to))
}

function locationOf(document: vscode.TextDocument, place: MacroPlace): vscode.Location {
  return new vscode.Location(document.uri, rangeOf(document, place))
}
