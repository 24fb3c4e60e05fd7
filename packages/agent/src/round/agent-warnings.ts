import { type PhraseTemplates, wordedIn } from '@mutsumi/schema'

/**
 * The agent's warnings, and why rounds end without an answer, in English. `{0}` is an argument, and `{0!}` one that is a
 * problem in words of its own. Translations have the same codes.
 */
export const englishAgentWarnings = {
  'too-large-to-send': 'a run would end here and send nothing: {0!}',
  'still-too-large':
    'the request takes about {0} tokens after {1} compactions, but the window is {2}. Begin a new session, drop items, or set contextWindow to the size that the model accepts.',
  'compaction-due':
    'a run would compact the history before this request, from about {0} tokens to {1}; the messages are shown as they are after it',
  'compaction-due-summary':
    'a run would compact the history before this request, from about {0} tokens to {1}, and ask a model for a summary of the rounds that leave. A preview does not ask it, so the summary is not in the messages',
  'history-cleaned-one':
    'the prompt cache was cold, so one old message is shown shorter: history takes about {0} tokens instead of {1}. Recall returns every result; `mutsumi compact --undo` brings them back; history.cleanAbove=0 turns this off.',
  'history-cleaned':
    'the prompt cache was cold, so {0} old messages are shown shorter: history takes about {1} tokens instead of {2}. Recall returns every result; `mutsumi compact --undo` brings them back; history.cleanAbove=0 turns this off.',
  'no-command': 'there is no command /{0}, so nothing is sent. To ask about it, begin with another word',
  'no-command-but': 'there is no command /{0}; did you mean /{1}? Nothing is sent',
  'command-unusable': 'the command /{0} cannot be used, so nothing is sent: {1!}',
  'undo-not-kept':
    'undo cannot keep copies: {0}. The round goes on, but undo cannot bring back the content of files that it changes',
  // An undo that a killed process had begun.
  'undo-finished': 'an undo was interrupted and is finished now: {0}',
  'redo-finished': 'a redo was interrupted and is finished now: {0}',
  'undo-unfinished':
    'an undo or redo was interrupted, and the session went on since, so these files may be a mixture: {0}',
  'undo-waits': 'an undo or redo was interrupted; it is finished when the session is next opened for writing',
  // Ends of rounds.
  'stopped-after-steps': 'stopped after {0} steps without an answer; ask again to continue',
  'reply-filtered': 'the provider filtered the reply',
  'model-refused': 'the model refused to answer',
  'answer-cut': 'the answer was cut off at the output limit; ask the model to continue',
  'reply-kept': 'The received part of the reply is kept, marked as cut.',
  'same-call-again':
    'stopped: {0} was called {1} times with the same arguments and returned the same result each time',
  'same-calls-again':
    'stopped: the calls {0} were made in turn {1} times with the same arguments and returned the same results each time',
  'replies-unclear': 'stopped: {0} replies in a row could not be understood. The last one: {1}',
} as const

export type AgentWarningCode = keyof typeof englishAgentWarnings

/** The words for every warning of the agent, in one language. */
export type AgentWarningTemplates = PhraseTemplates<AgentWarningCode>

export const agentWarningWords = wordedIn(englishAgentWarnings)
