// ReAct text: how calls and answers are written in plain text, and how a model's reply in it is read.
export { default as reActPrompt } from './prompts/react.md'
export { answerIn } from './reply/answer-in.js'
export { type ParsedReply, parseReply } from './reply/parse-reply.js'
export { GrowingText } from './streaming/growing-text.js'
export { type ReplyReader, type Visible, VisibleText } from './streaming/visible-text.js'
export {
  actionsText,
  escapeLabels,
  type LabelledText,
  parseReActText,
  reActText,
  spellsAction,
  spellsLabel,
} from './writing/labelled-text.js'
export { actionText, finishText } from './writing/reply-text.js'
