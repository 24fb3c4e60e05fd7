import type { OfflineReason } from '@mutsumi/host'
import { visibleLine } from '../text/visible-text.js'
import { adviceHere } from '../words/advice.js'
import type { Words } from '../words/words.js'
import type { About } from './about.js'

type GreetingWords = Words['greeting']

/** A few lines for a newcomer. A user who has been here before gets fewer. */
export function greetingLines(about: About, { greeting }: Words): readonly string[] {
  const { model, offline, lack, root, session, isFirst, sandbox } = about
  return [
    ...(offline ? offlineLines(offline, greeting) : [greeting.model(visibleLine(model))]),
    ...(lack === undefined ? [] : [greeting.lack(visibleLine(adviceHere(lack)))]),
    greeting.workspace(visibleLine(root)),
    ...(session === undefined ? [] : [greeting.session(visibleLine(session))]),
    ...(isFirst ? [greeting.sandbox[sandbox], rulesLine(about, greeting)] : []),
    ...(isFirst ? greeting.try : greeting.try.slice(-1)),
  ]
}

function rulesLine({ rules, projectRules }: About, { rules: said, noRules }: GreetingWords): string {
  return rules + projectRules.length === 0 ? noRules : said(rules, projectRules.join(', '))
}

/** Explains how to use a better model than the offline one. */
function offlineLines({ emptyKeys, server }: OfflineReason, words: GreetingWords): readonly string[] {
  return [
    words.offline,
    ...(emptyKeys.length === 0 ? [] : [words.emptyKeys(emptyKeys.join(', '))]),
    // The server on that port chose the names.
    server ? words.localServer(visibleLine(server.name), visibleLine(server.flags)) : words.otherModel,
  ]
}
