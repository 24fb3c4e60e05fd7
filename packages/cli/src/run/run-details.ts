import type { AgentEvent, TokenUsage } from '@mutsumi/schema'
import { say } from '../words/say.js'

/** The additional lines of `-v`: requests, tokens and times. */
export class RunDetails {
  readonly #started = performance.now()
  #asked = 0

  of(event: AgentEvent): readonly string[] {
    switch (event.type) {
      case 'request-start':
        this.#asked = performance.now()
        return [say`→ request ${event.step}: about ${event.tokens} tokens`]
      case 'usage':
        return [`← ${tokensText(event.usage)} after ${since(this.#asked)}`]
      case 'tool-end':
        return [say`  ${event.name} took ${Math.round(event.timeMs)} ms`]
      case 'answer-reset':
        return event.as === 'thought' ? [] : [say`… the answer so far is withdrawn: ${event.reason}`]
      case 'round-end':
        return [`· ${event.status} after ${since(this.#started)}`]
      default:
        return []
    }
  }
}

function tokensText({ input, output, cached, written }: TokenUsage): string {
  const cache = [
    ...(cached === undefined ? [] : [`${cached} cached`]),
    ...(written === undefined ? [] : [say`${written} written to the cache`]),
  ]
  return say`${input} tokens in${cache.length > 0 ? ` (${cache.join(', ')})` : ''}, ${output} out`
}

function since(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`
}
