import {
  type CompletionSite,
  commandOffers,
  completionSite,
  type FoundPaths,
  type Macros,
  macroOffers,
  mentionOffer,
  namesTool,
  type OfferedTool,
  referenceOffer,
  toolOffers,
} from '@mutsumi/host'
import type { Completer, Completion, CompletionItem } from '../editor/completion.js'

/** The names to choose from. Every function here returns at once. */
export interface CompletionSource {
  /** The best paths of the workspace, as far as they are known. */
  readonly find: (query: string) => FoundPaths
  /** A path of the workspace as it is written here, so that it means that file. */
  readonly written: (path: string) => string
  readonly tools: readonly OfferedTool[]
  readonly macros: () => Macros
}

/** Completes `@path`, `@[…]`, `{{…}}` and `@{…}`. */
export function promptCompleter(source: CompletionSource): Completer {
  return ({ text, cursor }) => {
    const site = completionSite(text, cursor)
    return site && { from: site.from, to: site.to, ...offersAt(site, source, text) }
  }
}

type Offers = Pick<Completion, 'items' | 'isPending'>

function offersAt(site: CompletionSite, source: CompletionSource, text: string): Offers {
  switch (site.kind) {
    case 'mention':
      return paths(site.query, source, (path) => mentionOffer(path, site))
    case 'reference': {
      const { items, ...rest } = paths(site.query, source, (path) => referenceOffer(path, site))
      const tools = toolOffers(site, source.tools)
      return { ...rest, items: namesTool(site, source.tools) ? [...tools, ...items] : [...items, ...tools] }
    }
    case 'macro':
      return { items: macroOffers(site, { ...source.macros(), ...definedIn(text) }) }
    case 'command':
      return { items: commandOffers(site, { ...source.macros(), ...definedIn(text) }) }
    default:
      return site satisfies never
  }
}

function paths(query: string, source: CompletionSource, offer: (path: string) => CompletionItem): Offers {
  const { paths: found, isPending } = source.find(query)
  return { items: found.map((path) => offer(source.written(path))), isPending }
}

/** The macros that the text itself defines. */
function definedIn(text: string): Macros {
  const lines = text.matchAll(/^[ \t]*#define[ \t]+([A-Za-z_]\w*)[ \t]*(.*)$/gm)
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value.trim()]))
}
