import type { SimpleCommand } from './command-line.js'
import type { ShellWord } from './shell-word.js'

// A prefix rule such as `Bash(git log:*)` says "this program, with any arguments". The tables below are
// the arguments that turn a harmless program into another one: they run a command, load code, write a
// file, or move to another folder. A command found here is allowed only by a rule that spells it out
// from the first word to the last, or by a rule for the whole tool.
//
// | a command                                     | asks because                                   |
// |-----------------------------------------------|------------------------------------------------|
// | `env x`, `sudo x`, `sh -c x`, `xargs x`, …    | its arguments are another command              |
// | `cd x`, `export A=b`, `alias`, `source`, …    | it changes what the rest of the line means     |
// | `vim`, `less`, `man`, …                       | it can start a shell from within               |
// | `find -exec`, `git log --output`, `rg --pre`… | that option runs a command or writes a file    |
// | `git -c a.b=c log`, `npm --prefix x test`     | options before the subcommand change the whole |
// | `git difftool`, `npm exec`                    | that subcommand runs others                    |
// | `npx x`                                       | it is any command, unless the rule names `x`   |
// | `git e*`, `awk src/*`                         | a file's name could be a subcommand, a script  |
// | `awk '{system(…)}'`, `sed 's/x/y/e'`          | the script runs commands or writes files       |

/** Why no prefix rule can allow this command; undefined where one can. `pinned`: how many words the rule names. */
export function dangerOf({ words }: Pick<SimpleCommand, 'words'>, pinned = 0): string | undefined {
  const [first, ...rest] = words
  if (first === undefined) return undefined
  // The file system of a Mac takes `ENV` for `env`.
  const name = first.text.slice(first.text.lastIndexOf('/') + 1).toLowerCase()
  if (packageRunners.has(name)) return packageDanger(name, rest, pinned)
  if (runners.has(name)) return `${name} can run or change other commands`
  const program = programs.get(name)
  if (program === undefined) return undefined
  const args = rest.map((word) => word.text)
  return (
    globDanger(name, program, rest) ??
    subcommandDanger(name, program, args) ??
    argumentDanger(name, program, args)
  )
}

/** `npx tsc --noEmit` is `tsc --noEmit`, provided that the rule itself says `tsc`. */
function packageDanger(name: string, inner: readonly ShellWord[], pinned: number): string | undefined {
  const [first] = inner
  if (pinned < 2 || first === undefined || first.text.startsWith('-')) return `${name} can run any command`
  return dangerOf({ words: inner }, pinned - 1)
}

/** A file can be called `exec`, or like a script: where arguments are not just files, a name is not just a name. */
function globDanger(name: string, program: Program, args: readonly ShellWord[]): string | undefined {
  const { subcommands, argument, isHarmless, takesScript } = program
  if (!(subcommands || argument || isHarmless)) return undefined
  const glob = args.find(
    ({ text, certainty }) => certainty === 'glob' && (takesScript || !text.includes('/')),
  )
  return glob && `${name} ${glob.text}: a name of a file could become more than that`
}

interface Program {
  /** Long options also count when shortened, as most programs allow. */
  readonly options?: readonly string[]
  /** Letters of short options, also in a cluster: `-xO`. */
  readonly letters?: string
  /** The first argument is a subcommand; of these, each runs others. */
  readonly subcommands?: readonly string[]
  /** Options that may stand before the subcommand. */
  readonly mayPrecede?: readonly string[]
  /** An argument that is dangerous for what it says. */
  readonly argument?: RegExp
  /** Some argument is a program by itself. */
  readonly takesScript?: true
  /** The only arguments that are harmless, where those are easier to name. */
  readonly isHarmless?: (args: readonly string[]) => boolean
}

const runners = new Set(
  [
    'env xargs sudo doas su runuser nohup time timeout command exec builtin eval source . nice ionice setsid stdbuf',
    'unbuffer script watch parallel strace ltrace gdb lldb chroot unshare nsenter flock chrt taskset setarch systemd-run',
    'at batch crontab entr expect screen tmux dbus-run-session xvfb-run faketime catchsegv valgrind perf ssh sshpass',
    'sh bash rbash dash zsh ksh mksh fish csh tcsh pwsh busybox toybox',
    'cd pushd popd alias unalias export declare typeset local readonly set shopt trap hash enable unset bind complete',
    'read mapfile readarray let getopts wait umask ulimit',
    'vi vim nvim view ex ed emacs nano less more most man info git-shell',
  ]
    .join(' ')
    .split(' '),
)

const packageRunners = new Set(['npx', 'pnpx', 'bunx', 'uvx', 'pipx', 'corepack'])

const awk: Program = {
  options: [
    '--file',
    '--include',
    '--load',
    '--exec',
    '--source',
    '--dump-variables',
    '--profile',
    '--pretty-print',
  ],
  letters: 'filEeopdDW',
  argument: /system|getline|[|>@]/,
  takesScript: true,
}
const interpreter: Program = {
  options: '--eval --print --require --import --loader --experimental-loader --command'.split(' '),
  letters: 'ceEpmrInMS',
}
const packageManager: Program = {
  options: [
    '--node-options --script-shell --shell --prefix --dir --cwd --userconfig --globalconfig --editor --viewer',
    '--browser --git --local-prefix --init-module --package --call --config',
  ]
    .join(' ')
    .split(' '),
  letters: 'Cc',
  subcommands: 'exec x explore edit config set init create dlx c link'.split(' '),
  mayPrecede: ['--silent', '-s'],
}
const remoteCopy: Program = { options: ['--rsh', '--rsync-path', '--config'], letters: 'eoFSJD' }
const finder: Program = { options: ['--exec', '--exec-batch'], letters: 'xX' }

const programs: ReadonlyMap<string, Program> = new Map(
  Object.entries<Program>({
    find: { argument: /^-(?:exec|ok|delete|fprint|fls|files0-from)/ },
    fd: finder,
    fdfind: finder,
    git: {
      options: [
        '--output --output-directory --ext-diff --textconv --open-files-in-pager --exec --upload-pack --receive-pack',
        '--config --template --edit-description --extcmd --remote --paginate --run --show-signature --sign --gpg-sign',
      ]
        .join(' ')
        .split(' '),
      letters: 'Ox',
      subcommands: [
        'difftool mergetool bisect submodule filter-branch config daemon upload-pack receive-pack help web--browse',
        'instaweb send-email gui citool hook maintenance credential fast-import archive format-patch bundle rebase',
        'clone fetch pull ls-remote remote-ext remote for-each-repo worktree init alias svn p4 cvsserver shell',
      ]
        .join(' ')
        .split(' '),
      mayPrecede: ['--no-pager', '--no-optional-locks'],
      // `ext::` and `fd::` are addresses that run a command.
      argument: /::|%G/,
    },
    npm: packageManager,
    pnpm: packageManager,
    yarn: packageManager,
    bun: packageManager,
    tar: {
      options: [
        '--to-command --checkpoint-action --use-compress-program --info-script --new-volume-script --rsh-command',
        '--rmt-command',
      ]
        .join(' ')
        .split(' '),
      letters: 'IF',
      // Before options had dashes: `tar xIf program file`.
      argument: /^[A-Za-z]*[IF][A-Za-z]*$/,
    },
    rg: { options: ['--pre', '--hostname-bin', '--search-zip'], letters: 'z' },
    awk,
    gawk: awk,
    mawk: awk,
    nawk: awk,
    sed: { isHarmless: isHarmlessSed, takesScript: true },
    gsed: { isHarmless: isHarmlessSed, takesScript: true },
    scp: remoteCopy,
    sftp: remoteCopy,
    rsync: remoteCopy,
    sort: {
      options: ['--output', '--compress-program', '--temporary-directory', '--files0-from'],
      letters: 'oT',
    },
    // Its second operand is the file it writes.
    uniq: { isHarmless: (args) => args.filter((arg) => !arg.startsWith('-')).length <= 1 },
    split: { options: ['--filter'] },
    tree: { letters: 'oR' },
    date: { options: ['--set'], letters: 's' },
    // `[` cannot come here: it is a glob in command position.
    test: { argument: /^-[vR]$/ },
    printf: { argument: /^-v/ },
    make: {
      options: ['--eval', '--file', '--makefile', '--directory', '--include-dir'],
      letters: 'EfCI',
      argument: /=/,
      takesScript: true,
    },
    go: {
      argument: /^--?(?:exec|toolexec|vettool|overlay|modfile|C|ldflags|gcflags)/,
      subcommands: ['generate', 'run', 'env'],
    },
    cargo: { options: ['--config', '--manifest-path'], letters: 'ZC', argument: /^\+/ },
    curl: {
      options:
        '--output --remote-name --config --upload-file --dump-header --cookie-jar --trace --stderr'.split(
          ' ',
        ),
      letters: 'oOKTDc',
    },
    wget: { argument: /^/ },
    node: interpreter,
    deno: interpreter,
    python: interpreter,
    python3: interpreter,
    perl: interpreter,
    ruby: interpreter,
    php: interpreter,
    lua: interpreter,
  }),
)

function subcommandDanger(name: string, program: Program, args: readonly string[]): string | undefined {
  if (program.subcommands === undefined) return undefined
  const subcommand = args.find((arg) => !program.mayPrecede?.includes(arg))
  if (subcommand === undefined) return undefined
  if (subcommand.startsWith('-')) return `${name} ${subcommand}: an option before the subcommand`
  return program.subcommands.includes(subcommand) ? `${name} ${subcommand} can run other commands` : undefined
}

function argumentDanger(name: string, program: Program, args: readonly string[]): string | undefined {
  if (program.isHarmless)
    return program.isHarmless(args) ? undefined : `${name} may run commands or write files here`
  const found = args.find((arg) => isDangerous(program, arg))
  return found === undefined ? undefined : `${name} ${found} can run commands or write files`
}

function isDangerous({ options = [], letters = '', argument }: Program, arg: string): boolean {
  if (argument?.test(arg)) return true
  if (arg.startsWith('--')) return options.some((option) => isShortFor(arg, option))
  return /^-[^-]/.test(arg) && [...letters].some((letter) => flagsOf(arg).includes(letter))
}

/** `--outp=x` for `--output`. */
function isShortFor(arg: string, option: string): boolean {
  const [name = ''] = arg.split('=')
  return name.length > 2 && option.startsWith(name)
}

/** The letters of `-abc`, up to what cannot be one. */
function flagsOf(arg: string): string {
  return /^-([A-Za-z]*)/.exec(arg)?.[1] ?? ''
}

/** `sed -n 5,10p file`, `sed s/a/b/g`: printing, deleting, plain replacing. */
function isHarmlessSed(args: readonly string[]): boolean {
  const scripts: (string | undefined)[] = []
  const operands: string[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (arg === '-e') scripts.push(args[++at])
    else if (!arg.startsWith('-')) operands.push(arg)
    else if (!/^-[nErsu]+$/.test(arg)) return false
  }
  if (scripts.length === 0) scripts.push(operands[0])
  return scripts.every((script) => script !== undefined && isHarmlessScript(script))
}

const sedAddress = /^(?:\d+|\$)?(?:,(?:\d+|\$))?/
const sedReplacement = /^s([/|#,])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpIi\d]*$/

function isHarmlessScript(script: string): boolean {
  const command = script.replace(sedAddress, '')
  return /^[pdq=]$/.test(command) || sedReplacement.test(command)
}
