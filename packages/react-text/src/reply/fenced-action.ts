import type { CallPlace } from './call-place.js'
import { foreign } from './foreign-call.js'
import { fenceEnd, isLast, type Marker, markerAt, nextLine, skipBlank } from './markers.js'
import { readPythonCall } from './python-call.js'
import { type BadAction, bad, none, type ReadAction } from './read-action.js'
import { readBareCall, readWholeCall } from './whole-call.js'

interface FenceReading {
  readonly place: CallPlace
  /** Whether the action itself may be read to see where it ends: what it writes to a file may hold a fence. */
  readonly looks: boolean
  readonly read: (text: string, marker: Marker) => ReadAction
}

/**
 * The action that is all the fence at `fence` holds. It counts where nothing follows it: a reply that goes on, in words
 * or with another action, has quoted it.
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

/** A call where one may also be an example does not run: the model is told. */
export function ifMeant<Action extends ReadAction>(action: Action, place: CallPlace): Action | BadAction {
  if (action.kind !== 'call' || place === 'call') return action
  return bad(
    'a call that stands behind other text may be an example. Write the action alone, right behind your thought; to show one, put it into Finish[…]',
    action.name,
  )
}

const endsWithFence = /(?:`{3}|~{3})\s*$/

/** As Gemini writes a call. */
const toolFence = /^ {0,3}[`~]{3,}(?:tool_code|tool_calls?|tool_use|function_call)\s*$/
const actions: ReadonlySet<string> = new Set(['action', 'finish', 'foreign'] satisfies Marker['kind'][])
