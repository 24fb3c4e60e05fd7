import { isHarmlessCurl, isHarmlessDeno, isHarmlessSed, runsNamedScript } from './harmless-arguments.js'

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
    'at batch crontab entr expect screen tmux dbus-run-session xvfb-run faketime catchsegv valgrind perf ssh sshpass',
    'sh bash rbash dash zsh ksh mksh fish csh tcsh pwsh busybox toybox',
    'cd pushd popd alias unalias export declare typeset local readonly set shopt trap hash enable unset bind complete',
    'read mapfile readarray let getopts wait umask ulimit',
    'jobs fc compgen compopt history',
    'rlwrap dumb-init tini prlimit numactl cgexec firejail proot fakeroot eatmydata chronic ifne pee logsave xcrun',
    'direnv nix nix-shell guix docker podman nerdctl kubectl lxc machinectl run-parts start-stop-daemon ssh-agent',
    'bundle poetry uv nc ncat socat telnet osascript open xdg-open',
    'vi vim nvim view ex ed emacs nano less more most man info git-shell vidir vipe vimdiff tig',
    'sqlite3 psql mysql mongo mongosh redis-cli dc gnuplot octave',
  ),
)

/** They write files that their command line does not name: a protected one may be among them. */
export const unpackers = new Set(words('unzip 7z 7za 7zr cpio unrar bsdtar patch'))

export const packageRunners = new Set(words('npx pnpx bunx uvx pipx corepack'))

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
const interpreter: Program = { isHarmless: runsNamedScript }
const packageManager: Program = {
  options: words(
    '--node-options --script-shell --shell --prefix --dir --cwd --userconfig --globalconfig --editor --viewer',
    '--browser --git --local-prefix --package --call --config --onload-script --cafile --tmp --logs-dir --cache',
  ),
  // `--config.script-shell=x`, `--init.module=x`.
  argument: /^--(?:config|init)[.-]/,
  letters: 'Cc',
  subcommands: words('exec x explore edit config set init create dlx c link pkg set-script innit ln'),
  known: words(
    'test t tst run run-script rum urn start stop restart ls list ll la view info show v outdated why explain',
    'prefix root ping search fund doctor ci pack query version help',
  ),
  mayPrecede: ['--silent', '-s'],
}
/** Compilers, linters and test programs: what they load decides what they do. */
const checker: Program = {
  options: words(
    '--config --config-file --config-path --config-loader --project --plugin --plugins --rulesdir --parser --require',
    '--resolve-plugins-relative-to --import --root --rootdir --globalSetup --setupFiles --setupFilesAfterEnv',
    '--outDir --outFile --output-file --outfile --outdir --declarationDir --build --python-executable --override-ini',
    '--bootstrap --pdbcls --basetemp --confcutdir --environment --runner --transform --testRunner --resolver',
  ),
  letters: 'cprRoO',
}
const writer: Program = { options: ['--output'], letters: 'o' }
const pager: Program = { options: ['--pager', '--ackrc'] }
const remoteCopy: Program = { options: ['--rsh', '--rsync-path', '--config'], letters: 'eoFSJD' }
const finder: Program = { options: ['--exec', '--exec-batch'], letters: 'xX' }

export const programs: ReadonlyMap<string, Program> = new Map(
  Object.entries<Program>({
    find: { argument: /^-(?:exec|ok|delete|fprint|fls|files0-from)/ },
    fd: finder,
    fdfind: finder,
    git: {
      options: words(
        '--output --output-directory --ext-diff --textconv --open-files-in-pager --exec --upload-pack --receive-pack',
        '--config --template --edit-description --extcmd --remote --paginate --run --show-signature --sign --gpg-sign',
      ),
      letters: 'Ox',
      subcommands: words(
        'apply am merge-index merge-one-file column checkout-index upload-archive http-backend filter-repo imap-send',
        'difftool mergetool bisect submodule filter-branch config daemon upload-pack receive-pack help web--browse',
        'instaweb send-email gui citool hook maintenance credential fast-import archive format-patch bundle rebase',
        'clone fetch pull ls-remote remote-ext remote for-each-repo worktree init alias svn p4 cvsserver shell',
      ),
      known: words(
        'status log diff show blame branch tag ls-files ls-tree rev-parse rev-list describe shortlog cat-file grep add',
        'commit stash checkout switch restore reset merge cherry-pick revert mv rm push show-ref show-branch name-rev',
        'cherry merge-base diff-tree diff-index diff-files count-objects check-ignore check-attr for-each-ref reflog',
        'whatchanged range-diff var fsck',
      ),
      mayPrecede: ['--no-pager', '--no-optional-locks'],
      // `ext::` and `fd::` are addresses that run a command.
      argument: /::|%G/,
    },
    npm: packageManager,
    pnpm: packageManager,
    yarn: packageManager,
    bun: packageManager,
    tar: {
      options: words(
        '--to-command --checkpoint-action --use-compress-program --info-script --new-volume-script --rsh-command',
        '--rmt-command --extract --get --directory --absolute-names',
      ),
      letters: 'IFxCP',
      // Before options had dashes: `tar xIf program file`.
      argument: /^[A-Za-z]*[IFxCP][A-Za-z]*$/,
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
    // `%n` sets a variable, and the next command may be looked up in it.
    printf: { argument: /^-v|%[-+ #'\d.*hlLjzt]*n/ },
    make: {
      options: ['--eval', '--file', '--makefile', '--directory', '--include-dir'],
      letters: 'EfCI',
      argument: /=/,
      takesScript: true,
    },
    go: {
      argument:
        /^--?(?:exec|toolexec|vettool|overlay|modfile|C|ldflags|\w+flags|compiler|pkgdir|o|outputdir|trace|\w+profile)\b/,
      subcommands: words('generate run env tool install get'),
    },
    cargo: {
      options: words('--config --manifest-path --target-dir --out-dir --artifact-dir'),
      letters: 'ZC',
      argument: /^\+/,
      subcommands: words('install rustc rustdoc'),
    },
    curl: { isHarmless: isHarmlessCurl },
    wget: { argument: /^/ },
    node: interpreter,
    deno: { isHarmless: isHarmlessDeno },
    python: interpreter,
    python3: interpreter,
    perl: interpreter,
    ruby: interpreter,
    php: interpreter,
    lua: interpreter,
    ...Object.fromEntries(
      words(
        'eslint prettier biome tsc vitest jest mocha pytest mypy ruff black rspec phpunit rake esbuild vite',
      ).map((name) => [name, checker]),
    ),
    tclsh: interpreter,
    julia: interpreter,
    rscript: interpreter,
    shuf: writer,
    iconv: writer,
    sdiff: writer,
    xmllint: writer,
    yq: { options: ['--inplace'], letters: 'i' },
    // Their second operand is the file they write.
    xxd: { isHarmless: (args) => args.filter((arg) => !arg.startsWith('-')).length <= 1 },
    ag: pager,
    ack: pager,
    bat: pager,
    batcat: pager,
    zip: { options: ['--unzip-command', '--test'], letters: 'T' },
    svn: { options: words('--diff-cmd --diff3-cmd --editor-cmd --config-option --config-dir') },
    hg: {
      options: ['--config', '--cwd', '--repository'],
      letters: 'R',
      subcommands: ['serve', 'debugshell'],
    },
    pandoc: { options: words('--filter --lua-filter --output --defaults --pdf-engine'), letters: 'FLod' },
    cmake: { options: ['--build', '--install', '--open'], letters: 'PEDC' },
    gcc: { options: ['--specs'], argument: /^(?:-wrapper|-B|-f?plugin|-specs|-X|-o|@)/ },
    cc: { options: ['--specs'], argument: /^(?:-wrapper|-B|-f?plugin|-specs|-X|-o|@)/ },
    rustc: { letters: 'Co', options: ['--codegen', '--out-dir', '--emit'] },
  }),
)

function words(...lists: readonly string[]): string[] {
  return lists.join(' ').split(' ')
}
