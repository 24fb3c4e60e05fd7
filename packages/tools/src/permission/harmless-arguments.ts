// For programs of which the harmless uses are easier to name than the others.

/** `sed -n 5,10p file`, `sed s/a/b/g`: printing, deleting, plain replacing. */
export function isHarmlessSed(args: readonly string[]): boolean {
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

/** `node script.js --flag`, `python -u a.py`. Without a script an interpreter runs what comes through a pipe. */
export function runsNamedScript(args: readonly string[]): boolean {
  if (args.length === 1 && /^(?:--version|-V|--help)$/.test(args[0] ?? '')) return true
  const first = args.findIndex((arg) => !quietFlags.has(arg))
  if (first === -1) return args.includes('--test')
  return isScript(args[first] ?? '')
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

/** A name of a file: no option, no pipe, no address. */
function isScript(arg: string): boolean {
  return arg !== '' && !arg.startsWith('-') && !/^\/(?:dev|proc)\/|:/.test(arg)
}

/** `deno test`, `deno run a.ts`: no options, no addresses. */
export function isHarmlessDeno([subcommand = '', ...args]: readonly string[]): boolean {
  if (!/^(?:test|check|lint|run|--version)$/.test(subcommand)) return false
  return args.every(isScript) && (subcommand !== 'run' || args.length > 0)
}

const curlFlags =
  /^(?:-[sSfLiIv46#]+|--(?:silent|show-error|fail|location|include|head|verbose|compressed|ipv4|ipv6|http1\.1|http2))$/
const curlOptions = /^(?:-[XHAm]|--(?:request|header|user-agent|max-time|connect-timeout|retry))$/

/** `curl -sSfL https://x`: nothing is written, and no file is sent. */
export function isHarmlessCurl(args: readonly string[]): boolean {
  return args.every((arg) =>
    arg.startsWith('-')
      ? curlFlags.test(arg) || curlOptions.test(arg)
      : !/^@|^(?!https?:)\w+:\/\//i.test(arg),
  )
}
