// A reply in ReAct text, read once while it arrives, or as a whole.
export { ReplyReader } from './streaming/reply-reader.js'
export type { Visible } from './streaming/visible-text.js'
export { GrowingText } from './streaming/growing-text.js'
export { parseReply } from './reply/parse-reply.js'
export type { ParsedReply } from './reply/parsed-reply.js'
export { answerIn, answerOf } from './reply/answer-in.js'
export { stepWords } from './reply/step-words.js'

// Calls and answers, written. The prompt teaches a model the same form.
export { default as reActPrompt } from './prompts/react.md'
export { actionText, finishText } from './writing/reply-text.js'
export { actionsText, withActions, spellsAction } from './writing/labelled-text.js'

// A whole request as one text, with a label before each message.
export {
  reActText,
  parseReActText,
  escapeLabels,
  spellsLabel,
  type LabelledText,
} from './writing/labelled-text.js'
