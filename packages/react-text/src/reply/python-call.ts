import type { CallPlace } from './call-place.js'
import { foreign } from './foreign-call.js'
import { bad, none, type ReadAction } from './read-action.js'

const call = String.raw`[\p{L}_][\p{L}\p{N}_.]{0,99}\((?:\s{0,9}\w{1,99}\s{0,9}=|\))`
const inList = new RegExp(String.raw` {0,3}\[${call}`, 'uy')
const alone = new RegExp(` {0,3}${call}`, 'uy')

/**
 * Finds a call in the form that Llama was trained to write, at the end of a reply: `[Read(path="a.ts")]`. Python is
 * not interpreted: the model gets an error. Without the bracket it may be code, so it counts only right after a
 * thought.
 */
export function readPythonCall(text: string, at: number, place: CallPlace): ReadAction {
  const isListed = beginsWith(inList, text, at)
  const isCall = isListed ? place !== 'example' : place === 'call' && at > 0 && beginsWith(alone, text, at)
  const ends = isListed ? /\)\s*\][\s`]*(?:<\|\w+\|>)?\s*$/ : /\)[\s`]*(?:<\|\w+\|>)?\s*$/
  return isCall && ends.test(text.slice(-60)) ? bad(`${foreign}, not as Python`) : none
}

function beginsWith(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}
