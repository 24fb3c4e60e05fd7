import { isNearby } from './nearby-path.js'

// For programs that take many options, of which the harmless ones are easier to name than the others.

/** The short options that neither load, nor write, nor move, whatever it is that `npm test` runs. */
const commonLetters = 'tkvqxgbiwunmhs'

/** The same by program. */
export const shortOptions: Readonly<Record<string, string>> = {
  eslint: 'hvq',
  prettier: 'cwluh',
  biome: 'h',
  tsc: 'hvw',
  vitest: 'tuwhv',
  jest: 'tuwibovfhe',
  mocha: 'gfbwth',
  pytest: 'vqsxklmnhr',
  mypy: 'vh',
  ruff: 'qvhw',
  black: 'qlvh',
  rspec: 'eth',
  phpunit: 'vh',
  rake: 'Tvqhst',
  esbuild: 'h',
  vite: 'hd',
}

const harmlessOptions = new Set(
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

/** Their value is a name; a path would be code to load. */
const naming = new Set(['reporter', 'reporters', 'format'])

/** Their value is text that may look like anything. */
const textual = new Set(
  '-t -k -g -m -e --grep --fgrep --testNamePattern --test-name-pattern --example --tag'.split(' '),
)

/** Arguments of a test program, linter or compiler that only choose what is checked and how that is told. */
export function isHarmlessCheck(args: readonly string[], letters = commonLetters): boolean {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (arg === '--') continue
    if (!/^-./.test(arg)) {
      if (arg === '-' || !isNearby(arg)) return false
      continue
    }
    if (!isHarmlessOption(arg, letters)) return false
    if (naming.has(arg.slice(2)) && !/^[\w.-]+$/.test(args[at + 1] ?? '')) return false
    if (textual.has(arg) && !args[at + 1]?.startsWith('-')) at++
  }
  return true
}

function isHarmlessOption(arg: string, letters: string): boolean {
  const long = /^--([A-Za-z][\w.-]*)(?:=(.*))?$/s.exec(arg)
  if (long === null)
    return new RegExp(`^-(?:[${letters}]+|[${letters}]\\d+|r[A-Za-z]+)$`).test(arg) && fits(arg)
  const [, name = '', value = 'name'] = long
  if (!harmlessOptions.has(name)) return false
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
const packageOptions = /^--(?:workspace|loglevel|depth|omit|include)=([\w@./-]*)$/

/**
 * `npm test -w tools -- -t name`. Any number of dashes makes an option of npm, and any beginning of its name: what is
 * not spelled out here is another one. Behind `--` begin the arguments of the script.
 */
export function isHarmlessPackageRun(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  const own = end === -1 ? args : args.slice(0, end)
  const handedOn = end === -1 ? [] : args.slice(end + 1)
  return own.every((arg) => isHarmlessForManager(arg)) && isHarmlessCheck(handedOn)
}

function isHarmlessForManager(arg: string): boolean {
  if (!arg.startsWith('-')) return isNearby(arg)
  if (arg === '-w' || arg === '--workspace' || packageFlags.has(arg)) return true
  const value = packageOptions.exec(arg)?.[1]
  return value !== undefined && isNearby(value)
}

/** `cp -r x/. .` and `cp -rT x .` bring files along that the line does not name. */
export function isHarmlessCopy(args: readonly string[]): boolean {
  const isDeep = args.some((arg) => /^(?:-\w*[rRaT]|--(?:r|ar|no-t))/.test(arg))
  return !isDeep || args.every((arg) => !/^-\w*T|^--no-t|(?:^|\/)\.{1,2}\/?$/.test(arg))
}

/** A remote by its usual name: any other word may be a folder, whose hooks would run. */
export function isHarmlessPush(args: readonly string[]): boolean {
  const at = args.indexOf('push')
  if (args.find((arg) => !arg.startsWith('-')) !== 'push') return true
  const [remote = 'origin'] = args.slice(at + 1).filter((arg) => !arg.startsWith('-'))
  return /^(?:origin|upstream)$/.test(remote)
}
