// The ReAct protocol: what a model's text asks for, and what of it can be shown while it comes.
export { type ParsedReply, parseReply } from './react/parse-reply.js'
export { type VisibleText, visibleText } from './react/visible-text.js'
