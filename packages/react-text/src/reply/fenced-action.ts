import type { CallPlace } from './call-place.js'
import { foreign } from './foreign-call.js'
import { fenceEnd, isLast, type Marker, markerAt, nextLine, skipBlank } from './markers.js'
import { readPythonCall } from './python-call.js'
import { type BadAction, bad, none, type ReadAction } from './read-action.js'
import { readBareCall, readWholeCall } from './whole-call.js'

interface FenceReading {
  readonly place: CallPlace
  /** Whether the action itself may be read to find its end. The file text that it writes may contain a fence. */
  readonly looks: boolean
  readonly read: (text: string, marker: Marker) => ReadAction
}

/**
 * Reads the action, if the fence at `fence` contains nothing else. It counts only if nothing follows it: if words or
 * another action follow, the reply only quoted it.
 */
export function readFence(text: string, fence: number, { place, looks, read }: FenceReading): ReadAction {
  const first = skipBlank(text, nextLine(text, fence))
  const endsReply = isLast(text, nextLine(text, fenceEnd(text, fence)))
  if (endsReply && toolFence.test(text.slice(fence, nextLine(text, fence))))
    return place === 'call' && text[first] === '{'
      ? readWholeCall(text, first)
      : bad(`${foreign}, not as code`)
  if (place === 'example' || !(endsReply || looks)) return none
  const action = endsReply ? readBareCall(text, first) : none
  if (action.kind !== 'none') return ifMeant(action, place)
  const marker = markerAt(text, text.lastIndexOf('\n', first - 1) + 1)
  if (!marker || !actions.has(marker.kind)) return endsReply ? readPythonCall(text, first, 'unclear') : none
  const marked = read(text, marker)
  const isAll = 'end' in marked ? isLast(text, marked.end) : endsWithFence.test(text.slice(-20))
  return endsReply || isAll ? ifMeant(marked, place) : none
}

/** A call that may also be an example does not run. The model gets an error instead. */
export function ifMeant<Action extends ReadAction>(action: Action, place: CallPlace): Action | BadAction {
  if (action.kind !== 'call' || place === 'call') return action
  return bad(
    'a call after other text may be an example. Write the action alone, right after your thought; to show an example, put it into Finish[…]',
    action.name,
  )
}

const endsWithFence = /(?:`{3}|~{3})\s*$/

/** The form in which Gemini writes calls. */
const toolFence = /^ {0,3}[`~]{3,}(?:tool_code|tool_calls?|tool_use|function_call)\s*$/
const actions: ReadonlySet<string> = new Set(['action', 'finish', 'foreign'] satisfies Marker['kind'][])
