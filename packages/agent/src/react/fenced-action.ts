import { foreign } from './foreign-call.js'
import { fenceEnd, isLast, type Marker, markerAt, nextLine, skipBlank } from './markers.js'
import { bad, none, type ReadAction } from './read-action.js'
import { readBareCall, readWholeCall } from './whole-call.js'

interface FenceReading {
  /** Whether the reply thinks before it, or begins with it: else it is an example. */
  readonly counts: boolean
  /** Whether the action itself may be read to see where it ends: what it writes to a file may hold a fence. */
  readonly looks: boolean
  readonly read: (text: string, marker: Marker) => ReadAction
}

/**
 * The action that is all the fence at `fence` holds. It counts where nothing follows it: a reply that goes on, in words
 * or with another action, has quoted it.
 */
export function readFence(text: string, fence: number, { counts, looks, read }: FenceReading): ReadAction {
  const first = skipBlank(text, nextLine(text, fence))
  const endsReply = isLast(text, nextLine(text, fenceEnd(text, fence)))
  if (endsReply && toolFence.test(text.slice(fence, nextLine(text, fence))))
    return counts && text[first] === '{' ? readWholeCall(text, first) : bad(`${foreign}, not as code`)
  if (!counts || !(endsReply || looks)) return none
  if (text[first] === '{') return endsReply ? readBareCall(text, first) : none
  const marker = markerAt(text, text.lastIndexOf('\n', first - 1) + 1)
  if (!marker || !actions.has(marker.kind)) return none
  const action = read(text, marker)
  const isAll = 'end' in action ? isLast(text, action.end) : endsWithFence.test(text.slice(-20))
  return endsReply || isAll ? action : none
}

const endsWithFence = /(?:`{3}|~{3})\s*$/

/** As Gemini writes a call. */
const toolFence = /^ {0,3}[`~]{3,}(?:tool_code|tool_calls?|tool_use|function_call)\s*$/
const actions: ReadonlySet<string> = new Set(['action', 'finish', 'foreign'] satisfies Marker['kind'][])
