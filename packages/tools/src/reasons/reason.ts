import { type Phrase, type PhraseTemplates, phrase, phraseText } from '@mutsumi/schema'

/**
 * The reasons why a call asks or is refused, in the words that a model reads. `{0}` is an argument, and `{0!}` one that
 * is itself a reason. Translations have the same codes.
 */
export const englishReasons = {
  // A call.
  'not-permitted': '{0} can {1!} and was not permitted: {2!}',
  read: 'read',
  write: 'write',
  execute: 'execute',
  'user-said-no': 'the user said no',
  'user-said-no-because': 'the user said no: {0}',
  'unknown-answer': 'the answer {0} is unknown',
  'rule-denies': 'the rule {0} denies it',
  'not-judged': 'it could not be judged: {0}',
  'nobody-to-ask': 'no user can be asked here',
  'nobody-to-ask-about': 'no user can be asked here; {0!}: {1!}',
  'plan-mode': 'plan mode is on: nothing that has effects runs until the user accepts a plan',
  'only-the-user': 'no rule can allow this, only the user if asked',
  'allowed-by': '{0} would allow it',
  'broken-rules': '{0}; repair or delete that file',
  'broken-rules-and': '{0}; repair or delete that file; {1!}',
  // A file.
  'no-rule': 'no rule allows {0}',
  'no-rule-on-path': 'no rule allows {0} on {1}',
  'not-located': '{0} cannot be located',
  'steers-later': '{0} guides later sessions or other programs, so only a rule that names it covers it',
  protected: '{0} is protected: its content takes effect outside this session',
  'made-protected':
    'the command made {0}: such files take effect outside this session, so they were taken out of the workspace; a yes puts them back',
  // A command line.
  unconfined: '{0!}; no sandbox would confine it',
  'empty-line': 'the command line is empty',
  'no-rule-for-part': 'no rule allows it',
  'line-may-read-denied': 'it may read something that the rule {0} denies',
  'could-read-denied': '{0!} could read files that the rule {1} denies, and no sandbox hides them',
  'denied-link': '{0} may hold another name of a file that the rule {1} denies',
  'the-line': 'the line',
  'not-understood': 'the command line cannot be judged: {0!}',
  'not-understood-protected': 'the command line cannot be judged: {0!}, and it names something protected',
  'other-folder': 'the command would run in {0}, not in a folder that the user opened',
  'script-elsewhere': '{0} is not in a folder that the user opened',
  'remote-here': 'git may push to {0} in this folder, and run its hooks',
  'rule-may-deny': 'the rule {0} may deny it',
  'unknown-target': 'the target of {0} is not known',
  'unknown-redirection': 'the target of the redirection to {0} is not known',
  'unknown-folder': 'the folder of {0} is not known',
  'unknown-value': 'the value of {0} is not known',
  'leads-outside': '{0} leads out of the folders that the user opened',
  'too-many-files': '{0} means too many files to check',
  'link-maker': '{0} may create a link at a place that the line writes to later',
  // A command.
  'unknown-program':
    '{0} is not known to be harmless with any arguments, so only a rule for the exact line covers it',
  'wild-name': '{0} {1}: a file name could act as an option or a command',
  'not-plain': '{0} could run commands or write files with these arguments',
  'further-target': '{0} would also build {1}, which the rule does not name',
  'runs-any-command': '{0} can run any command',
  'other-command': '{0} could turn it into another command',
  'runs-files': '{0} runs commands from files',
  // A line that is not understood.
  'too-long': 'it is longer than {0} characters',
  'too-many-words': 'it has more than {0} words',
  'too-many-paths': 'it may name more than {0} paths',
  'evaluated-value': 'the shell evaluates the value of {0}',
  'expanded-twice': '{0} expands a word a second time',
  'sign-expanded-twice': 'the shell expands what follows {0} twice',
  'invisible-characters': 'it contains invisible characters',
  'too-deep': 'it is nested too deeply',
  missing: 'a {0} is missing',
  unexpected: '{0} was not expected at character {1}',
  calculation: 'it calculates with {0}',
  'missing-command': 'a command is missing',
  'here-document': 'it contains a here-document',
  'nothing-follows': 'nothing follows {0}',
  'word-touches': 'a word touches {0}',
  comment: 'it contains a comment',
  'unusual-space': 'it contains an unusual space at character {0}',
  'substitution-in-word': 'a substitution begins within a word',
  'ends-in-backslash': 'it ends in a backslash',
  'continued-word': 'a word continues on the next line',
  expansion: 'it expands {0}',
  'escape-in-backticks': 'it escapes something between backticks',
  braces: 'it expands braces',
  'shell-history': 'it uses the shell history with !',
  'unknown-command': 'the name of a command is not known before it runs',
  construct: 'it contains a shell construct ({0})',
} as const

export type ReasonCode = keyof typeof englishReasons

/** The words for every reason, in one language. */
export type ReasonTemplates = PhraseTemplates<ReasonCode>

/** A reason as data: a model and a person may read it in different languages. */
export interface Reason extends Phrase {
  readonly code: ReasonCode
  readonly args: readonly (string | Reason)[]
}

export function because(code: ReasonCode, ...args: readonly (string | number | Reason)[]): Reason {
  return phrase(code, ...args) as Reason
}

/** A reason in words. */
export function reasonText(reason: Reason, templates: ReasonTemplates = englishReasons): string {
  return phraseText(reason, templates)
}
