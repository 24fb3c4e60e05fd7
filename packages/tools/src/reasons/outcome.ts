import {
  type Phrase,
  PhraseReader,
  type PhraseTemplates,
  phrase,
  phraseText,
  wordedIn,
} from '@mutsumi/schema'
import { englishReasons } from './reason.js'

/**
 * The words of tools about their results, as a model reads them. `{0}` is an argument, and `{0!}` one that is
 * itself such a phrase. Translations have the same codes.
 */
export const englishOutcomes = {
  about: '{0}: {1!}',
  // A changed file.
  'created-line': 'Created {0}: {1} line.',
  'created-lines': 'Created {0}: {1} lines.',
  'changed-once': 'Changed {0}: {1} replacement.',
  'changed-often': 'Changed {0}: {1} replacements.',
  'dry-run': 'Dry run, nothing was written. {0!}',
  'changed-since': 'has changed since it was read; read it again',
  'read-first': 'read it first',
  'edit-of': 'edit {0} of {1}: {2!}',
  'same-strings': 'old_string and new_string are the same',
  'old-string-missing': 'old_string was not found; {0!}',
  'line-numbers-included': 'leave out the line numbers and tabs that Read puts before the lines',
  'nothing-similar': 'nothing in the file is similar; read the file again',
  'old-string-repeated':
    'old_string was found {0} times (lines {1}); give more of the text around the one you mean, or set replace_all',
  'search-too-long': 'the search took longer than {0} ms; narrow the path or include',
  // A file that cannot be read.
  'not-found': 'not found',
  'dangling-link': 'is a link to something that does not exist',
  'outside-for-reading': 'is outside the folders this session may read',
  'session-file':
    'belongs to a Mutsumi session, which tools cannot read. For results of this session use Recall; people use mutsumi sessions, mutsumi resume and mutsumi export',
  'binary-file': 'is a binary file',
  'no-path': 'is not an absolute path of at most 4096 characters without NUL',
  'reading-denied': 'cannot be read: permission denied',
  'circular-link': 'is a link that leads back to itself',
  'long-name': 'has a name that is too long',
  'too-many-open': 'could not be opened: too many files are open; try again',
  'not-regular': 'is not a regular file ({0})',
  'image-too-large': 'is a picture of {0} bytes; the limit is {1}',
  unread: 'could not be read ({0})',
  'is-directory': 'is a directory',
  'is-directory-list': 'is a directory; use LS',
  'is-file-read': 'is a file; use Read',
  // A file that cannot be written.
  'outside-for-writing': 'is outside the folders this session may write',
  'session-file-written': 'belongs to a Mutsumi session; only Mutsumi itself writes to it',
  'leads-elsewhere': 'leads elsewhere than when permission was checked; try again',
  'changed-meanwhile': 'was changed while it was being written; read it again',
  'unfollowed-link': 'is part of a cycle of links, or was created just now',
  'below-a-file': 'is below something that is not a folder',
  'writing-denied': 'cannot be written: permission denied',
  'too-large-to-change': 'has {0} bytes; at most {1} can be edited',
  'read-only-disk': 'is on a read-only file system',
  unwritten: 'could not be written: {0!}; the file is unchanged',
  'disk-full': 'the disk is full',
  'quota-used': 'the disk quota is used up',
  'larger-than-allowed': 'it would be larger than the file system allows',
  'disk-failed': 'the disk failed (EIO)',
  // A command.
  cancelled: 'cancelled',
  'cancelled-output': 'cancelled; its output until then:',
  'timed-out': 'timed out after {0} ms and was ended; it had written nothing',
  'timed-out-output': 'timed out after {0} ms and was ended; its output until then:',
  'not-started': 'the command could not be started: {0}',
  'no-free-files':
    'too many files are open; close other programs, or raise the limit of open files (ulimit -n)',
  'created-pointer':
    'ended because it created {0}, which would have made git use another folder. The file was deleted',
  'created-links':
    'refused because the command created links or special files in the folder of a git repository: {0}. Git would have written through them. They were deleted',
  'replaced-own-links':
    'refused because the command made or replaced {0}, which runs when Mutsumi itself is started. It is as it was before',
  'replaced-meanwhile':
    'ended because another program replaced {0} while it ran, so it was no longer protected; run it again',
  'taken-out':
    'it made {0}. Such files take effect outside this session, so they were taken out of the workspace. They lie in {1}. {2} would leave them in the workspace',
  'taken-out-links':
    'it made {0}. Such files take effect outside this session, so they were taken out of the workspace. They lie in {1}. Only the user can put them back',
  'taken-out-of-packages':
    'packages came with {0}. Such files take effect outside this session and packages do not need them, so they were taken out of the workspace. They lie in {1}',
  'too-much-planted':
    'it made {0} files and folders that take effect outside this session, too many to take them out (such as {1}). Delete them; until then no command runs here',
  'not-taken-out':
    'it made {0}. Such files take effect outside this session, but they could not be taken out of the workspace ({1}). Check and delete them; until then no command runs here',
  'planted-before':
    'an earlier command made {0}, and it could not be taken out of the workspace. Check and delete it; until then no command runs here',
  'unsearchable-now':
    'it made so many folders that the workspace can no longer be searched for files that take effect outside this session. Delete them; until then no command runs here',
  'described-bubblewrap':
    'bubblewrap ({0}): commands write only in the workspace and do not see your home folder',
  'described-seatbelt':
    'Seatbelt ({0}): commands write only in the workspace and do not read your home folder',
  'described-none': 'none ({0!}): {1!}',
  'required-by': 'no command runs ({0})',
  'missing-in-require':
    'no command runs (--sandbox require); --sandbox auto runs commands that your rules allow, unconfined',
  'missing-in-auto':
    'commands that your rules allow run unconfined, all others ask; --sandbox require refuses them all',
  'missing-in-off':
    'commands that your rules allow run unconfined, all others ask; --sandbox auto confines them if it can',
  'remains-bubblewrap':
    'while a command runs, other programs can see protected files that it makes; they are taken out when it ends. It can see sessions that begin and sockets that appear meanwhile',
  'remains-seatbelt':
    'links in .git are found and deleted only after they appear; sockets are open to commands with the network; a process that leaves its group and clears its environment (env -i) outlives its command',
  'remains-none':
    'a command that runs can do what you can: change existing hooks, settings and links in .git, use sockets, read and change sessions. Protected files that it makes are taken out when it ends, but a process that leaves its group and clears its environment (env -i) outlives it and can make them again',
  'unsearchable-before':
    'an earlier command made so many folders that the workspace can no longer be searched for files that take effect outside this session. Delete them; until then no command runs here',
  'check-changed':
    'a command made or changed {0}: such files take effect outside this session, so check them before you trust them',
  'killed-taken-out':
    'a command of a run that was killed here had made {0}. Such files take effect outside a session, so they were taken out of the workspace. They lie in {1}',
  'killed-unsaid':
    'a run that was killed here had taken files that its command made out of the workspace, because such files take effect outside a session. It had no time to say so. They lie in {0}',
  'killed-not-taken-out':
    'a command of a run that was killed here had made {0}. Such files take effect outside a session, but they could not be taken out of the workspace ({1}). Check and delete them',
  'killed-links':
    'a command of a run that was killed here had made links or special files in the folder of a git repository: {0}. Git would have written through them. They were deleted',
  'no-journal':
    'the folder {0} cannot be written ({1}). If a run is killed while a command runs, the next run will not know which files that command made; set MUTSUMI_STATE_DIR to a folder of your own',
  // The sandbox.
  'sandbox-required-by-project':
    "the project requires a sandbox ({0}), but there is none: {1!}. --sandbox cannot weaken this; change the project's setting",
  'sandbox-required':
    'a sandbox is required (by --sandbox or a config), but there is none: {0!}. With --sandbox auto it would run unconfined if a rule or the user allows it',
  'not-confined':
    "this run's commands are not confined: {0!}. --sandbox require refuses to run any; --sandbox off hides this note",
  'missing-with-remedy': '{0!}; to get one: {1!}',
  'install-by-apt': 'apt install bubblewrap',
  'install-by-dnf': 'dnf install bubblewrap',
  'install-by-pacman': 'pacman -S bubblewrap',
  'install-by-zypper': 'zypper install bubblewrap',
  'install-by-apk': 'apk add bubblewrap',
  'install-somehow': 'install the package bubblewrap',
  'switched-off': 'it is switched off',
  'no-sandbox-for': 'there is no sandbox for {0}',
  'sandbox-not-installed': '{0} is not installed',
  'sandbox-does-not-work': '{0} does not work here: {1}',
  'allow-namespaces': 'allow this user, or this container, to create namespaces',
  'foreign-pointer':
    '{0} makes git use the hooks and settings of another folder, and git itself never creates such a file there. Check it and delete it (in {1}); until then no command runs in the sandbox',
  'too-much-protected':
    'more than {0} files and folders here are protected (such as .git, .npmrc and .vscode). The sandbox cannot protect that many, so no command can run. Delete those that you do not need, or start Mutsumi in a folder with fewer of them',
  'too-many-folders':
    'there are more than {0} folders in {1} (most of them in {2}). They cannot all be searched for files to protect, so no command can run. Start Mutsumi in a folder below it, or move what you do not need elsewhere',
  'own-files-open':
    'Mutsumi itself is installed in a folder that you opened ({0}), and without a sandbox a command could replace it, so no command can run. Install Mutsumi elsewhere, for example globally, or install a sandbox (bubblewrap)',
  'too-much-denied':
    'rules deny reading files here, but there are too many folders to search or too many files to hide, so no command can run; use rules that begin with a folder (secrets/** instead of **/secrets/**), which need no search',
  // A rule of the user.
  'rule-invalid': 'the rule {0} is invalid: {1!}',
  'rule-unclosed': 'the closing parenthesis is not at its end',
  'rule-no-tool': '{0} is not the name of a tool',
  'rule-fingerprint': 'a rule for an MCP tool can only have its #fingerprint in parentheses',
  'rule-star': 'only mcp__server__* may end in *',
  'rule-empty': 'there is nothing between the parentheses',
  'rule-command-unparsed': 'its command cannot be parsed: {0!}',
  'rule-many-commands': 'it must name one command; write one rule for each',
  'rule-redirection': 'redirections are allowed by Write rules, not by commands',
  'rule-no-command': 'it does not name a command',
  'rule-not-literal': 'its words must be literal; end it with :* to allow any further words',
  'rule-near-tool': 'the rule {0} names the tool {1}, which does not exist; did you mean {2}?',
  'rule-unknown-tool':
    "the rule {0} names the tool {1}, which does not exist; the tools are {2}, and mcp__server__tool for a server's tool",
  'rule-long-path': 'the path is too long or contains control characters',
  'rule-many-alternatives': 'it has more than {0} alternatives; write several rules',
  'rule-parent-path': 'a path may not contain ..',
  'rule-no-path': 'it does not name a path',
  'rule-needs-root': 'the rule {0} needs the root of its workspace',
  'no-such-rule': 'there is no rule {0} here; mutsumi permissions lists them',
  'session-only': 'allowed for this session only: {0!}',
  'no-place-for-rules': 'there is no place for permissions',
  // A file of the user's config.
  'file-unread': '{0} could not be read: it {1!}',
  'file-invalid': '{0} has an invalid format: {1}',
  'file-not-json': '{0} is not JSON: {1}',
  'file-unwritten': '{0} could not be written: {1}',
  'file-locked': '{0} is being changed by another process; if there is none, remove {1}',
  'file-unlockable': '{0} could not be locked: {1}',
  'trust-unread': '{0!}; no folder is trusted until it is repaired',
  'repair-first': '{0!}; repair or remove it first',
  'folder-missing': 'the folder {0} was not found',
  'folder-of-all': '{0} contains every folder on this disk; trust a smaller one that you know',
  // A tool that does not exist.
  'near-tool': 'there is no tool named {0}; did you mean {1}?',
  'unknown-tool': 'there is no tool named {0}; the tools are: {1}',
  'denied-folder': 'rules deny reading the folder that the command would run in, so it cannot run there',
} as const

export type OutcomeCode = keyof typeof englishOutcomes

/** The words for every outcome, in one language. */
export type OutcomeTemplates = PhraseTemplates<OutcomeCode>

/** An outcome as text and as data. It may contain a reason. */
export const outcomeWords = wordedIn({ ...englishReasons, ...englishOutcomes })

export function outcomeText(code: OutcomeCode, ...args: readonly (string | number)[]): string {
  return phraseText(phrase(code, ...args), englishOutcomes)
}

/** Any text with a colon looks like `about`. It is one only if its second part is known. */
const { about: _, ...whole } = englishOutcomes
const reader = new PhraseReader(whole)

/**
 * Reads an outcome back from its English words, because a session records results as a model reads them. Undefined if
 * they are other words. Use it for what a person looks at, not for what somebody decides.
 */
export function readOutcome(text: string): Phrase | undefined {
  const read = reader.read(text)
  if (read) return read
  const colon = text.indexOf(': ')
  const inner = colon === -1 ? undefined : reader.read(text.slice(colon + 2))
  return inner && phrase('about', text.slice(0, colon), inner)
}
