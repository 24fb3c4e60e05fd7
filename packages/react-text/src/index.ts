// ReAct text: how calls and answers are written in plain text, and how a model's reply in it is read.
export { default as reActPrompt } from './prompts/react.md'
export { answerIn, answerOf } from './reply/answer-in.js'
export { parseReply } from './reply/parse-reply.js'
export type { ParsedReply } from './reply/parsed-reply.js'
export { GrowingText } from './streaming/growing-text.js'
export { ReplyReader } from './streaming/reply-reader.js'
export type { Visible } from './streaming/visible-text.js'
export {
  actionsText,
  escapeLabels,
  type LabelledText,
  parseReActText,
  reActText,
  spellsAction,
  spellsLabel,
  withActions,
} from './writing/labelled-text.js'
export { actionText, finishText } from './writing/reply-text.js'
