import { englishWarnings } from '@mutsumi/context/parts'
import type { AgentEvent, Warning } from '@mutsumi/schema'

/** The warnings about rules and older cells that a notebook has shown. They come with every request, and are news once. */
export class ToldWarnings {
  #before: ReadonlySet<string> = new Set()

  /** For one round: whether to show an event. A warning that was gone for a round is news again. */
  round(): (event: AgentEvent) => boolean {
    const before = this.#before
    const now = new Set<string>()
    return (event) => {
      // Now the request with all its warnings was sent.
      if (event.type === 'usage') this.#before = now
      if (event.type !== 'warning' || !isStanding(event.warning)) return true
      const { source, line, column, message } = event.warning
      const key = JSON.stringify([source, line, column, message])
      const isNews = !before.has(key) && !now.has(key)
      now.add(key)
      return isNews
    }
  }
}

/** About a text that the next request has too. A tool warns of something that has happened now. */
function isStanding({ source, code, phrase }: Warning): boolean {
  if (source === 'prompt') return false
  return code === 'foreign-line' || (phrase !== undefined && Object.hasOwn(englishWarnings, phrase.code))
}
