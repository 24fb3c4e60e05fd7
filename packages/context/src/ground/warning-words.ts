import { type PhraseTemplates, wordedIn } from '@mutsumi/schema'

/**
 * The engine's warnings in English. `{0}` is an argument, and `{0!}` one that is a problem in words of its own; a model
 * reads most problems too. Translations have the same codes.
 */
export const englishWarnings = {
  'reference-failed': '{0}: {1!}',
  // Files.
  'not-found-named': '{0!}; did you mean @[{1}]?',
  'not-found-lines': '{0!}; for these lines, write @[{1}]',
  'deleted-since': 'it existed before, but has been deleted or moved since',
  'deleted-since-cell': 'it existed when cell {0} mentioned it, but has been deleted or moved since',
  'mention-missing':
    '@{0}: there is no such file or folder in this workspace, so the model gets no reminder to read it',
  'mention-missing-named':
    '@{0}: there is no such file or folder in this workspace, so the model gets no reminder to read it; did you mean @{1}?',
  'mention-unknown-macro':
    '@{0} uses {{{1}}}, which is not defined; the model reads the file as it is. Define it with #define {1} value',
  'mention-unknown-macros':
    '@{0} uses {{{1}}} and {2} more macros that are not defined; the model reads the file as it is',
  'shown-in-part': '{0} is shown only in part: {1} bytes',
  'entries-in-part': '{0} is shown only in part: too many entries',
  'short-range-one': 'The file has {0} line; lines {1} to {2} were asked for.',
  'short-range': 'The file has {0} lines; lines {1} to {2} were asked for.',
  'one-more-file': '1 more file matches {0}; narrow the pattern to see them',
  'more-files': '{0} more files match {1}; narrow the pattern to see them',
  'no-file-matches': 'no file matches',
  'lines-from-one': 'line numbers start at 1',
  'range-reversed': 'the range ends ({0}) before it starts ({1})',
  'no-address': '{0}: addresses cannot be included, only files',
  'image-in-document': 'is an image; only a prompt can include images',
  'invisible-character': 'contains an invisible character ({0}): visible to the model, but not to you',
  'invisible-characters-in': 'contains {0} invisible characters ({1}): visible to the model, but not to you',
  // Documents, macros and commands.
  'unknown-macro': '{{{0}}} is not defined, so it was not replaced',
  'prompt-unknown-macro': '{{{0}}} is not defined, so it is sent as typed; define it with #define {0} value',
  'macro-not-replaced': '{{{0}}} was not replaced: {1!}',
  'undefined-operand': '{0} is not defined; it compares as ""',
  'unnamed-define':
    'a #define needs a name; write #define NAME value with a name of letters, digits and _, and put C code between ``` lines',
  'misnamed-define':
    '#define {0} has no valid name; write #define NAME value with a name of letters, digits and _, and put C code between ``` lines',
  'malformed-command': 'malformed {0}: {1}',
  'unclosed-command': '@{ is not closed by } on its line; it was left unchanged',
  'unknown-document-command': 'unknown command @{{0}…}; it was left unchanged',
  'unclosed-if': 'this condition is never closed by @{endif}',
  'without-condition': '@{{0}} without a condition before it',
  'second-else': 'a second @{else} for one condition',
  'elif-after-else': '@{elif} after @{else}',
  'foreign-front-matter': 'front matter in {0} is not supported, only YAML is; it stays in the text',
  'long-front-matter':
    'front matter is longer than {0} KiB and is not read; keep Description and Params in it, and move the rest into the text',
  'deep-front-matter': 'front matter is nested deeper than {0} levels',
  'invalid-front-matter': 'front matter is not valid YAML: {0} (line {1})',
  'unusable-front-matter': 'front matter cannot be used: {0}',
  'too-much-front-matter':
    'front matter was not read: this build has already read too much of it; include fewer documents',
  'includes-itself': 'it includes itself: {0}',
  'includes-too-deep': 'includes are nested deeper than {0} levels',
  'too-many-includes': 'one build expands at most {0} includes',
  'too-much-work': 'the commands of this build take too much time; include fewer documents',
  'too-many-patterns': 'the documents of one build may use at most {0} patterns and {1} includes',
  'too-much-inserted': 'the includes and macros of one build may insert at most {0} characters',
  'too-many-failures': '{0} references of this build could not be included; the others are left unchanged',
  'one-more-warning': '1 more warning is not shown',
  'more-warnings': '{0} more warnings are not shown',
  // Tools.
  'tool-not-run': '{0} was not run: {1!}',
  'no-tools': 'there are no tools here',
  'untrusted-file': 'the call is in a file, and this workspace is not trusted (--trust)',
  'no-agent-from-file': 'text from a file may not start a sub-agent',
  'only-reading-from-file': 'text from a file may call read-only tools only',
  'preview-without-effects': 'this is a preview, and the tool has side effects',
  'result-not-recorded':
    'its result of that round was not recorded, and tools of earlier rounds never run again',
  // Rules and pictures.
  'rules-unread': 'the rules could not be read: it {0!}',
  'no-folder': 'is not a folder',
  'is-image': 'is an image',
  'no-text-file': 'is not a text file',
  'forged-rule': "is left out: names that begin with {0} are for the user's own rules; rename it",
  'project-rules-unread': "the project's rules could not be read: {0!}",
  'project-rules-in-part': "the project's rules are shown only in part: {0} bytes",
  'project-rules-no-text': "the project's rules are not a text file",
  'folder-rules': "the folder's rules: {0!}",
  'too-many-folder-rules': 'left out, like those of deeper folders: at most {0} are sent',
  'image-as-text': 'image {0}: {1!}; it is sent as text',
  'foreign-web-address': 'a web address is allowed only in text that the user wrote',
  'invalid-address': 'is not a valid address',
  'neither-file-nor-web': 'only files and http(s) addresses can be shown',
  'malformed-file-address': 'the file: address is malformed',
  'not-an-image': 'is not a PNG, JPEG, GIF or WebP image',
  // Budgets.
  'left-out-again':
    '{0} is left out to keep within ghost.budget (about {1} tokens); mention it again, pin it, or raise the budget',
  'left-out-lines':
    '{0} is left out to keep within ghost.budget (about {1} tokens); mention fewer lines of it, pin it, or raise ghost.budget or contextWindow',
  'left-out-result':
    '{0} is left out to keep within ghost.budget (about {1} tokens); ask the tool for less, pin it, or raise ghost.budget or contextWindow',
  'over-budget':
    'rules, pinned items and small items take about {0} tokens, but ghost.budget allows only {1}; unpin or shorten something',
  'does-not-fit':
    'the request does not fit the window of {0} tokens, even without any history that can be left out: {1!}. {2!}',
  'does-not-fit-two':
    'the request does not fit the window of {0} tokens, even without any history that can be left out: {1!}, {2!}. {3!}',
  'does-not-fit-three':
    'the request does not fit the window of {0} tokens, even without any history that can be left out: {1!}, {2!}, {3!}. {4!}',
  'prompt-takes': 'the system prompt with its tools takes {0}',
  'tools-take': 'the tools take {0}',
  'rules-take': 'the project rules take {0}',
  'block-takes': 'the ghost block takes {0}',
  'message-takes': 'your message takes {0}',
  'todo-takes': 'the todo list takes {0}',
  'summaries-take': 'earlier summaries take {0}',
  'newest-takes': 'the newest round takes {0}',
  'fewer-summaries':
    'Summaries stay in their session: begin a new session, delete summaries that are cells, or set contextWindow to the size that the model accepts.',
  'fewer-tools': 'Offer fewer tools, or set contextWindow to the size that the model accepts.',
  'smaller-parts':
    'Shorten it, use a line range, drop items, or set contextWindow to the size that the model accepts.',
  'over-threshold': 'the request takes about {0} tokens; history is compacted at {1} or more',
  dropped: '{0} is mentioned but was dropped earlier, so it is not sent; restore it to send it again',
  'allowed-uris':
    'the session lists folders that are not allowed in this workspace: they cannot be read here and are not shown to the model',
} as const

export type WarningPhraseCode = keyof typeof englishWarnings

/** The words for every warning of the engine, in one language. */
export type WarningTemplates = PhraseTemplates<WarningPhraseCode>

export const warningWords = wordedIn(englishWarnings)

/** A problem in words, for the model and as a part of a warning. */
export function problemText(code: WarningPhraseCode, ...args: readonly (string | number)[]): string {
  return warningWords(code, ...args).message
}
