import {
  isHarmlessCheck,
  isHarmlessCopy,
  isHarmlessPackageRun,
  isHarmlessPush,
  shortOptions,
} from './harmless-arguments.js'
import {
  hasOneOperand,
  isHarmlessCompiling,
  isHarmlessCurl,
  isHarmlessDeno,
  isHarmlessSed,
  isHarmlessTar,
  runsNamedScript,
} from './harmless-scripts.js'

/** What of a program's arguments makes another program of it. */
export interface Program {
  /** Long options also count when shortened, as most programs allow. */
  readonly options?: readonly string[]
  /** Letters of short options, also in a cluster: `-xO`. */
  readonly letters?: string
  /** The first argument is a subcommand; of these, each runs others. */
  readonly subcommands?: readonly string[]
  /** The subcommands that a rule for the whole program means. Any other one must be named by the rule. */
  readonly known?: readonly string[]
  /** Letters that are dangerous behind one subcommand only. */
  readonly lettersOf?: Readonly<Record<string, string>>
  /** Options that may stand before the subcommand. */
  readonly mayPrecede?: readonly string[]
  /** An argument that is dangerous for what it says. */
  readonly argument?: RegExp
  /** Some argument is a program by itself. */
  readonly takesScript?: true
  /** The only arguments that are harmless, where those are easier to name. */
  readonly isHarmless?: (args: readonly string[]) => boolean
}

export const runners = new Set(
  words(
    'env xargs sudo doas su runuser nohup time timeout command exec builtin eval source . nice ionice setsid stdbuf',
    'unbuffer script watch parallel strace ltrace gdb lldb chroot unshare nsenter flock chrt taskset setarch systemd-run',
    'linux32 linux64 i386 i486 i586 i686 x86_64 uname26 setpriv capsh pkexec gosu su-exec runcon sg newgrp login choom',
    'at batch crontab entr expect screen tmux dbus-run-session xvfb-run faketime catchsegv valgrind perf ssh sshpass sftp',
    'sh bash rbash dash ash zsh ksh mksh yash fish csh tcsh pwsh powershell cmd wsl wine busybox toybox nu xonsh elvish',
    'cd pushd popd alias unalias export declare typeset local readonly set shopt trap hash enable unset bind complete',
    'read mapfile readarray let getopts wait umask ulimit',
    'jobs fc compgen compopt history',
    'rlwrap dumb-init tini prlimit numactl cgexec firejail proot fakeroot fakechroot eatmydata chronic ifne pee logsave',
    'xcrun aa-exec cpulimit trickle proxychains torsocks torify tsocks hyperfine watchexec nodemon concurrently cross-env',
    'cross-env-shell dotenv foreman honcho pm2 forever supervisor lerna ldd ld.so rr heaptrack gdbserver bwrap',
    'direnv nix nix-shell guix docker podman nerdctl kubectl lxc machinectl run-parts start-stop-daemon ssh-agent',
    'systemctl launchctl busctl gdbus dbus-send pyenv rbenv nvm fnm volta asdf mise conda mamba tox nox rustup',
    'nc ncat socat telnet osascript open xdg-open',
    'vi vim nvim view ex ed emacs nano less more most man info git-shell vidir vipe vimdiff tig',
    'sqlite sqlite3 psql mysql mongo mongosh redis-cli dc gnuplot octave m4 ghci irb',
  ),
)

/** They write files that their command line does not name: a protected one may be among them. */
export const unpackers = new Set(words('unzip 7z 7za 7zr cpio pax unrar bsdtar patch rsync ar'))

/** The words before the name of another program, which the rule itself must name. */
export const packageRunners: readonly (readonly string[])[] = [
  ...words('npx pnpx bunx uvx pipx corepack bundle poetry uv pipenv hatch pdm').map((name) => [name]),
  ['python', '-m'],
]

/** `uv run pytest`: what stands between the runner and the program. */
export const runnerVerbs: ReadonlyMap<string, string> = new Map([
  ...words('poetry uv pipenv hatch pdm pipx').map((name): [string, string] => [name, 'run']),
  ['bundle', 'exec'],
])

/** They only read and print, whatever their options. */
export const readers = new Set(
  words(
    'ls dir vdir cat tac head tail wc nl echo pwd true false : basename dirname realpath readlink stat du df diff diff3',
    'cmp comm cut tr rev fold fmt pr paste join expand unexpand column od hexdump hd md5sum sha1sum sha224sum sha256sum',
    'sha384sum sha512sum b2sum cksum sum base32 basenc seq sleep uname id whoami groups who uptime nproc arch printenv',
    'ps pgrep jq which whereis type expr factor numfmt tsort grep egrep fgrep look locale getconf free lscpu tokei',
    'exa eza lsd getent cal yes md5',
  ),
)

/** They change the files that their command line names, and no others. None of them can make a link. */
const tamers = words('rm mkdir rmdir touch tee chmod chown chgrp truncate dd mkfifo mktemp shred csplit')

/** They write text where their operands say: a link that lies there leads them on. */
export const placers = new Set(words('cp mv ln install split tee dd truncate'))

const plain: Program = {}
const awk: Program = {
  options: words('--file --include --load --exec --source --dump-variables --profile --pretty-print --debug'),
  letters: 'filEeopdDW',
  argument: /system|getline|[|>@]/,
  takesScript: true,
}
const interpreter: Program = { isHarmless: runsNamedScript, takesScript: true }
const packageManager: Program = {
  subcommands: words('exec x explore edit config set init create dlx c link pkg set-script innit ln'),
  known: words(
    'test t tst run run-script rum urn start stop restart ls list ll la view info show v outdated why explain',
    'prefix root ping search fund doctor ci query version',
  ),
  mayPrecede: ['--silent', '-s'],
  isHarmless: isHarmlessPackageRun,
}
const writer: Program = { options: ['--output', '--shell'], letters: 'o' }
const pager: Program = { options: ['--pager', '--ackrc', '--config-file'], argument: /^cache$/ }
const binaryViewer: Program = { options: ['--plugin'] }

export const programs: ReadonlyMap<string, Program> = new Map(
  Object.entries<Program>({
    ...Object.fromEntries(tamers.map((name) => [name, plain])),
    cp: { isHarmless: isHarmlessCopy },
    mv: { isHarmless: isHarmlessCopy },
    ln: plain,
    install: { options: ['--strip-program'], letters: 's' },
    find: { argument: /^-(?:exec|ok|delete|fprint|fls|files0-from)/ },
    fd: { options: ['--exec', '--exec-batch'], letters: 'xX' },
    git: {
      options: words(
        '--output --output-directory --ext-diff --textconv --open-files-in-pager --exec --upload-pack --receive-pack',
        '--config --template --edit-description --extcmd --remote --paginate --run --show-signature --sign --gpg-sign',
        '--signed --verify-signatures --local-user --strategy --recurse-submodules --submodule --repo --help',
      ),
      letters: 'Ox',
      lettersOf: {
        merge: 'sS',
        'cherry-pick': 'S',
        revert: 'S',
        commit: 'S',
        tag: 'suv',
      },
      subcommands: words(
        'apply am merge-index merge-one-file column checkout-index upload-archive http-backend filter-repo imap-send',
        'difftool mergetool bisect submodule filter-branch config daemon upload-pack receive-pack help web--browse',
        'instaweb send-email gui citool hook maintenance credential fast-import archive format-patch bundle rebase',
        'clone fetch pull ls-remote remote-ext remote for-each-repo worktree init alias svn p4 cvsserver shell',
        'send-pack fetch-pack http-push http-fetch remote-http remote-https remote-fd credential-store credential-cache',
        'sh-setup sh-i18n fsmonitor--daemon submodule--helper rebase--helper add--interactive diagnose bugreport',
      ),
      known: words(
        'status log diff show blame branch tag ls-files ls-tree rev-parse rev-list describe shortlog cat-file grep add',
        'commit stash checkout switch restore reset merge cherry-pick revert mv rm push show-ref show-branch name-rev',
        'cherry merge-base diff-tree diff-index diff-files count-objects check-ignore check-attr for-each-ref reflog',
        'whatchanged range-diff var fsck',
      ),
      mayPrecede: ['--no-pager', '--no-optional-locks'],
      // `ext::` and `fd::` are addresses that run a command; a signature is checked by a program of the config.
      argument: /::|%[-+ ]*G|signature/,
      isHarmless: isHarmlessPush,
    },
    npm: packageManager,
    pnpm: packageManager,
    yarn: packageManager,
    bun: packageManager,
    pip: {
      options: words('--target --prefix --root --python --log --cache-dir --src'),
      letters: 't',
      subcommands: ['config', 'cache', 'wheel', 'download', 'debug'],
      known: words('list show freeze check --version'),
    },
    tar: { isHarmless: isHarmlessTar },
    rg: { options: ['--pre', '--hostname-bin', '--search-zip'], letters: 'z' },
    awk,
    sed: { isHarmless: isHarmlessSed, takesScript: true },
    scp: { letters: 'oFSJD' },
    sort: {
      options: ['--output', '--compress-program', '--temporary-directory', '--files0-from'],
      letters: 'oT',
    },
    // Their second operand is the file they write.
    uniq: { isHarmless: hasOneOperand },
    xxd: { isHarmless: hasOneOperand },
    base64: writer,
    file: { options: ['--compile'], letters: 'C' },
    split: { options: ['--filter'] },
    tree: { letters: 'oR' },
    date: { options: ['--set'], letters: 's' },
    // `[` cannot come here: it is a glob in command position.
    test: { argument: /^-[vR]$/ },
    // `%n` sets a variable, and the next command may be looked up in it.
    printf: { argument: /^-v|%[-+ #'\d.*hlLjzt]*n/ },
    make: {
      options: ['--eval', '--file', '--makefile', '--directory', '--include-dir', '--temp-stdin'],
      letters: 'EfCI',
      argument: /=|^@/,
      takesScript: true,
    },
    go: {
      argument:
        /^--?(?:test\.)?(?:exec|toolexec|vettool|overlay|modfile|C|ldflags|\w+flags|compiler|pkgdir|o|outputdir|trace|\w+profile|gocoverdir)\b/,
      subcommands: words('generate run env tool install get'),
      known: words('test build vet fmt list doc version'),
    },
    cargo: {
      options: words(
        '--config --config-path --manifest-path --target-dir --out-dir --artifact-dir --lockfile-path --codegen --emit',
        '--open',
      ),
      letters: 'ZC',
      argument: /^\+|\.json$|linker|^@/,
      subcommands: words('install rustc rustdoc'),
      known: words('test t build b check c clippy fmt doc d run r bench tree metadata clean version'),
    },
    curl: { isHarmless: isHarmlessCurl },
    wget: { argument: /^/ },
    node: interpreter,
    deno: { isHarmless: isHarmlessDeno },
    python: interpreter,
    perl: interpreter,
    ruby: interpreter,
    php: interpreter,
    lua: interpreter,
    tclsh: interpreter,
    julia: interpreter,
    rscript: interpreter,
    ...Object.fromEntries(
      // Compilers, linters and test programs: what they load decides what they do.
      Object.entries(shortOptions).map(([name, letters]) => [
        name,
        { isHarmless: (args: readonly string[]) => isHarmlessCheck(args, letters) },
      ]),
    ),
    shuf: writer,
    iconv: writer,
    sdiff: writer,
    xmllint: writer,
    yq: { options: ['--inplace', '--split-exp'], letters: 'is' },
    nm: binaryViewer,
    objdump: binaryViewer,
    readelf: binaryViewer,
    size: binaryViewer,
    strings: binaryViewer,
    ag: pager,
    ack: pager,
    bat: pager,
    zip: { options: ['--unzip-command', '--test'], letters: 'T' },
    gcc: { isHarmless: isHarmlessCompiling },
  }),
)

/** They run what their first operand holds. */
export const interpreters = new Set(words('node deno python perl ruby php lua tclsh julia rscript bun'))

/** These leave no link behind them, with the arguments that a prefix rule covers. */
export const linkless = new Set([
  ...readers,
  ...tamers,
  ...words(
    'printf test rg sort uniq xxd date find fd sed awk curl tree base64 file shuf iconv tar yq xmllint split',
  ),
])

/** Of git only these bring files of another time, links among them, into the folder. */
export const fileBringing = new Set(words('stash checkout switch restore reset merge cherry-pick revert mv'))

/** True where it is known here what the arguments of a program can do. */
export function isListed(name: string): boolean {
  return (
    programs.has(name) ||
    readers.has(name) ||
    runners.has(name) ||
    unpackers.has(name) ||
    packageRunners.some(([first]) => first === name)
  )
}

function words(...lists: readonly string[]): string[] {
  return lists.join(' ').split(' ')
}
