import type { OfflineReason } from '@mutsumi/host'
import { visibleLine } from '../text/visible-text.js'
import type { Words } from '../words/words.js'
import type { About } from './about.js'

type GreetingWords = Words['greeting']

/** A few lines for somebody who begins; fewer for somebody who has been here before. */
export function greetingLines(about: About, { greeting }: Words): readonly string[] {
  const { model, offline, root, isFirst, sandbox, rules, projectRules } = about
  return [
    ...(offline ? offlineLines(offline, greeting) : [greeting.model(visibleLine(model))]),
    greeting.workspace(visibleLine(root)),
    ...(isFirst ? [greeting.sandbox[sandbox], greeting.rules(rules, projectRules.join(', '))] : []),
    ...(isFirst ? greeting.try : greeting.try.slice(-1)),
  ]
}

/** How to get a model that can do more. */
function offlineLines({ emptyKeys, server }: OfflineReason, words: GreetingWords): readonly string[] {
  return [
    words.offline,
    ...(emptyKeys.length === 0 ? [] : [words.emptyKeys(emptyKeys.join(', '))]),
    // Whatever listens on that port chose the names.
    server ? words.localServer(visibleLine(server.name), visibleLine(server.flags)) : words.otherModel,
  ]
}
