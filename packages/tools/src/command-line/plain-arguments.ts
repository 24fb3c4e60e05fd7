import { isNearby } from './nearby-path.js'

// The plain options of programs with many options.

/** The short options that neither load code, nor write, nor change folders, whatever `npm test` runs. */
const commonLetters = 'tkvqxgbiwunmhs'

const plainOptions = new Set(
  [
    'verbose quiet silent watch watchAll run ci bail coverage no-coverage passWithNoTests runInBand version help',
    'testNamePattern testPathPattern testPathPatterns test-name-pattern grep fgrep invert maxWorkers max-workers',
    'minWorkers no-file-parallelism fileParallelism fix fix-dry-run fix-type check write list-different max-warnings ext',
    'no-inline-config report-unused-disable-directives no-error-on-unmatched-pattern noEmit pretty strict skipLibCheck',
    'listFiles showConfig noErrorTruncation tb lf ff failed-first last-failed maxfail durations no-header no-summary co',
    'collect-only exitfirst stepwise update updateSnapshot changed changedSince findRelatedTests onlyChanged onlyFailures',
    'colors color no-color timeout testTimeout retry allowOnly forbid-only hideSkippedTests max-diagnostics staged since',
    'unsafe apply diagnostic-level select ignore extend-select statistics diff preview no-cache ignore-missing-imports',
    'show-error-codes line-length target-version example tag fail-fast seed recursive group testdox reporter',
    'reporters format stop-on-failure nocapture test-threads exact ignored include-ignored logHeapUsage',
    'detectOpenHandles forceExit isolate no-isolate globals dom sequence.shuffle sequence.seed typecheck nocache trace',
  ].flatMap((names) => names.split(' ')),
)

/** Their value must be a name, because a path would be code to load. */
const naming = new Set(['reporter', 'reporters', 'format'])

/** Their value is arbitrary text. */
const textual = new Set(
  '-t -k -g -m -e --grep --fgrep --testNamePattern --test-name-pattern --example --tag'.split(' '),
)

/** Arguments of a test program, linter or compiler that only choose what is checked and how it is reported. */
export function isPlainCheck(args: readonly string[], letters = commonLetters): boolean {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (arg === '--') continue
    if (!/^-./.test(arg)) {
      if (arg === '-' || !isNearby(arg)) return false
      continue
    }
    if (!isPlainOption(arg, letters)) return false
    if (naming.has(arg.slice(2)) && !/^[\w.-]+$/.test(args[at + 1] ?? '')) return false
    if (textual.has(arg) && !args[at + 1]?.startsWith('-')) at++
  }
  return true
}

function isPlainOption(arg: string, letters: string): boolean {
  const long = /^--([A-Za-z][\w.-]*)(?:=(.*))?$/s.exec(arg)
  if (long === null)
    return new RegExp(`^-(?:[${letters}]+|[${letters}]\\d+|r[A-Za-z]+)$`).test(arg) && fits(arg)
  const [, name = '', value = 'name'] = long
  if (!plainOptions.has(name)) return false
  return naming.has(name) ? /^[\w.-]+$/.test(value) : textual.has(`--${name}`) || isNearby(value)

  /** pytest's `-rA` reports; `-r` of others loads. */
  function fits(cluster: string): boolean {
    return !cluster.startsWith('-r') || letters.includes('r')
  }
}

const packageFlags = new Set(
  [
    '--silent -s --if-present --ignore-scripts --json --parseable --long -l --verbose -d -dd -ddd --quiet -q --all -a',
    '--workspaces -ws --include-workspace-root -iwr --color --no-color --watch --coverage --run --ci --bail --update',
    '--production --prod --dev --depth --omit --loglevel --no-audit --no-fund --prefer-offline --frozen-lockfile',
  ].flatMap((names) => names.split(' ')),
)
const packageCommands = new Set(
  [
    'test t tst run run-script rum urn start stop restart ls list ll la view info show v outdated why explain',
    'prefix root ping search fund doctor ci query version --version -v',
  ].flatMap((names) => names.split(' ')),
)
const packageOptions = /^--(?:workspace|loglevel|depth|omit|include)=([\w@./-]*)$/

/**
 * `npm test -w tools -- -t name`. npm accepts any number of dashes and any abbreviation of an option, so only options
 * that are spelled out here count. The arguments of the script begin after `--`.
 */
export function isPlainPackageRun(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  const own = end === -1 ? args : args.slice(0, end)
  const handedOn = end === -1 ? [] : args.slice(end + 1)
  const subcommand = own.find((arg) => arg !== '--silent' && arg !== '-s') ?? ''
  return packageCommands.has(subcommand) && own.every(isPlainForManager) && isPlainCheck(handedOn)
}

function isPlainForManager(arg: string): boolean {
  if (!arg.startsWith('-')) return isNearby(arg)
  if (packageCommands.has(arg)) return true
  if (arg === '-w' || arg === '--workspace' || packageFlags.has(arg)) return true
  const value = packageOptions.exec(arg)?.[1]
  return value !== undefined && isNearby(value)
}

/** `cp -b -S rc x .npm` renames `.npm` to `.npmrc`, a name that is not in the line. */
export function keepsNoBackup(args: readonly string[]): boolean {
  return !args.some((arg) => /^(?:-\w*[bS]|--(?:b|su))/.test(arg))
}

/** `cp -r x/. .` and `cp -rT x .` copy files that the line does not name. */
export function isPlainCopy(args: readonly string[]): boolean {
  const isDeep = args.some((arg) => /^(?:-\w*[rRaT]|--(?:r|ar|no-t))/.test(arg))
  if (!keepsNoBackup(args)) return false
  return !isDeep || args.every((arg) => !/^-\w*T|^--no-t|(?:^|\/)\.{1,2}\/?$/.test(arg))
}

const compilerFlags =
  /^-(?:W(?![lap],)[\w=+-]*|O[\dsgz]?|g\d?|std=[\w+]+|[cESv]|fsyntax-only|f(?:PIC|pic|sanitize=[\w,]+|no-exceptions|no-rtti)|[ID].*|[U]\w+|l\w+|L.*|pedantic|pipe|pthread|m(?:32|64|arch=[\w.-]+|tune=[\w.-]+)|shared|static)$/

/** Any other of a compiler's hundreds of options may load a plug-in, run a wrapper or name an output file. */
export function isPlainCompiling(args: readonly string[]): boolean {
  return args.every((arg) => (arg.startsWith('-') ? compilerFlags.test(arg) : !arg.startsWith('@')))
}

/**
 * For programs that write to their second operand: plain options, some with a number, then one operand at most. In `xxd
 * in -out`, the last word is a file.
 */
export function hasOneOperand(flags: RegExp, numbers: RegExp): (args: readonly string[]) => boolean {
  return (args) => {
    let at = 0
    for (; at < args.length; at++) {
      const arg = args[at] ?? ''
      if (numbers.test(arg) && /^\d+$/.test(args[at + 1] ?? '')) at++
      else if (!flags.test(arg)) break
    }
    const operands = args.slice(args[at] === '--' ? at + 1 : at)
    return operands.length <= 1 && operands.every((arg) => arg === '-' || !arg.startsWith('-'))
  }
}

/** For programs whose plain options match one pattern; their other arguments are text and files. */
export function optionsAmong(plain: RegExp): (args: readonly string[]) => boolean {
  return (args) => args.every((arg) => !/^-./.test(arg) || arg === '--' || plain.test(arg))
}
