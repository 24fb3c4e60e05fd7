import { isNearby } from './nearby-path.js'

// Programs whose arguments are a small language.

/** `sed -n 5,10p file`, `sed s/a/b/g`: printing, deleting, plain replacing. */
export function isPlainSed(args: readonly string[]): boolean {
  const scripts: (string | undefined)[] = []
  const operands: string[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (arg === '-e') scripts.push(args[++at])
    else if (!arg.startsWith('-')) operands.push(arg)
    else if (!/^-[nErsu]+$/.test(arg)) return false
  }
  if (scripts.length === 0) scripts.push(operands[0])
  return scripts.every((script) => script !== undefined && isPlainScript(script))
}

const sedPlace = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\[^\n])*/)`
const sedAddress = new RegExp(`^(?:${sedPlace}(?:,${sedPlace})?)?`)
const sedReplacement = /^s([/|#,])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpIi\d]*$/

function isPlainScript(script: string): boolean {
  const command = script.replace(sedAddress, '')
  return /^[pdq=]$/.test(command) || sedReplacement.test(command)
}

/** `awk -F: '{print $1}' file`: a script without file names, commands and indirect function calls. */
export function isPlainAwk(args: readonly string[]): boolean {
  const options = args.filter((arg) => /^-./.test(arg))
  if (options.some((arg) => !/^-(?:F.*|v(?:[A-Za-z]\w*=.*)?)$/s.test(arg))) return false
  return !args.some((arg) => /system|getline|[|>@]/.test(arg))
}

/** `node script.js --flag`, `python -u a.py`. Without a script an interpreter runs its standard input. */
export function runsNamedScript(args: readonly string[]): boolean {
  if (args.length === 1 && /^(?:--version|-V|-v|--help)$/.test(args[0] ?? '')) return true
  const first = args.findIndex((arg) => !quietFlags.has(arg))
  if (first === -1) return args.includes('--test')
  // `node --test a b` runs both.
  const scripts = args.includes('--test') ? args.slice(first) : [args[first] ?? '']
  return scripts.every(isScript)
}

const quietFlags = new Set([
  '--test',
  '--watch',
  '--no-warnings',
  '--trace-warnings',
  '--enable-source-maps',
  '--experimental-strip-types',
  '-u',
])

/** The name of a file in the workspace: not an option, a pipe, an address or a subcommand. */
function isScript(arg: string): boolean {
  return /^[^-]/.test(arg) && !/[|:<>]|^(?:inspect|debug|watch)$/.test(arg) && isNearby(arg)
}

/** `deno test`, `deno run a.ts`: no options, no addresses. */
export function isPlainDeno([subcommand = '', ...args]: readonly string[]): boolean {
  if (!/^(?:test|check|lint|run|--version)$/.test(subcommand)) return false
  return args.every(isScript) && (subcommand !== 'run' || args.length > 0)
}

const curlFlags =
  /^(?:-[sSfLiIvGkg46#]+|-X[A-Z]+|-m\d+|--(?:silent|show-error|fail|location|include|head|verbose|compressed|ipv4|ipv6|http1\.1|http2|get|no-progress-meter|fail-with-body))$/
const curlOptions = /^(?:-[XHAm]|--(?:request|header|user-agent|max-time|connect-timeout|retry|retry-delay))$/
/** A scheme must be http or https; without one, curl guesses by the host name. */
const webAddress = /^(?:https?:\/\/[^\s]+|(?!\w+:\d*\/)[\w.-]+(?:[/?][^\s]*)?|localhost:\d+(?:[/?][^\s]*)?)$/i

/** `curl -sSfL https://x`: nothing is written, and no file is sent. */
export function isPlainCurl(args: readonly string[]): boolean {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    const value = args[at + 1] ?? ''
    if (arg === '-o' && value === '/dev/null') at++
    else if (arg === '-w' && !/^@|output\{/.test(value)) at++
    else if (curlOptions.test(arg) && !value.startsWith('@')) at++
    else if (!(arg.startsWith('-') ? curlFlags.test(arg) : webAddress.test(arg))) return false
  }
  return true
}

const tarFlags =
  /^(?:--(?:create|list|verbose|gzip|bzip2|xz|zstd|file|auto-compress|exclude-vcs|dereference)|--(?:file|exclude)=[^:]*|-?[ctvzjJafhpk]+|-)$/

/**
 * `tar tf a.tar`, `tar czf a.tgz src`. A name with a colon means another machine, which tar reaches through another
 * program.
 */
export function isPlainTar(args: readonly string[]): boolean {
  if (args.some((arg) => arg.includes(':'))) return false
  return args.every((arg, at) => (arg.startsWith('-') || at === 0 ? tarFlags.test(arg) : true))
}
