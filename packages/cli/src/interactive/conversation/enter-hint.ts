import { isTyped } from '../editor/completion.js'
import type { EditorState } from '../editor/editor.js'
import type { Words } from '../words/words.js'
import type { ConversationState } from './draw-conversation.js'
import type { OpenQuestion } from './question.js'

/** Says what Enter does now. Empty if the lines at the input say it. */
export function enterHint(state: ConversationState, { work, approval }: Words): string {
  const { question, asked, isAnswering, editor } = state
  if (isAnswering) return question ? answerHint(question, approval) : ''
  if (editor.search) return ''
  if (editor.edit.text === '') return question || asked ? work.enter.waits : ''
  if (completes(editor)) return work.enter.completes
  const isHeld = asked !== undefined && !(asked.kind === 'choice' && asked.isUnexpected)
  if (state.work === 'none') return isHeld ? work.enter.queues : work.enter.sends
  return state.work === 'working' ? work.steerHint : work.enter.queues
}

function answerHint({ reason, isConfirming, choices, chosen }: OpenQuestion, { enter }: Words['approval']) {
  if (reason) return enter.refuse
  return isConfirming ? enter.confirm : enter[choices[chosen] ?? 'no']
}

function completes({ edit, popup }: EditorState): boolean {
  return popup !== undefined && popup.items.length > 0 && !isTyped(edit, popup)
}
