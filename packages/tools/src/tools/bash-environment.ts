import { isAbsolute } from 'node:path'
import { isInside } from '../workspace/paths.js'
import { realPathOf } from '../workspace/real-path.js'

/**
 * The variables a command gets: those of the user's whose names tell what they hold, without what opens doors,
 * and set for a program that nobody watches. A command that needs another one sets it itself.
 */
export function commandEnvironment(
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const kept = Object.entries(own).flatMap(([name, value]) =>
    value !== undefined && isKnown(name) && !isSecret(name, value) ? [[name, value] as const] : [],
  )
  return { ...Object.fromEntries(kept), ...unattended }
}

/** PATH without what is relative or lies in the workspace: there, anybody could have made an `ls` of their own. */
export function safeSearchPath(path: string | undefined, roots: readonly string[]): string {
  const isOutside = (folder: string) =>
    [folder, realPathOf(folder) ?? folder].every((place) => !roots.some((root) => isInside(root, place)))
  const folders = (path ?? '').split(':').filter((folder) => isAbsolute(folder) && isOutside(folder))
  return folders.length === 0 ? systemPath : folders.join(':')
}

const systemPath = '/usr/local/bin:/usr/bin:/bin'

const unattended = {
  CI: '1',
  DEBIAN_FRONTEND: 'noninteractive',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  NO_COLOR: '1',
  PAGER: 'cat',
  TERM: 'dumb',
}

const knownNames = new RegExp(
  [
    'HOME|LOGNAME|PATH|PWD|SHELL|SHLVL|TMPDIR|TEMP|TMP|TZ|USER|LANG|LANGUAGE|LC_\\w+|XDG_\\w+|HOSTNAME|COLUMNS|LINES',
    '(HTTPS?|FTP|ALL|NO)_PROXY|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|\\w+_CA_(BUNDLE|FILE|PATH)|SOURCE_DATE_EPOCH',
    'AR|AS|CC|CPP|CXX|LD|MAKE|NM|RANLIB|\\w*(CC|C|CPP|CXX|LD|MAKE|RUST|GO)FLAGS|CMAKE_\\w+|MAKELEVEL|VIRTUAL_ENV|EDITOR|VISUAL',
    '(BUN|BUNDLE|CARGO|CCACHE|CGO|CONDA|COREPACK|DENO|DOTNET|ELIXIR|FNM|GEM|GIT|GO|GRADLE|JAVA|MAVEN|MISE|MIX|NIX)_\\w+',
    '(NPM_CONFIG|NVM|PIP|PIPENV|PIPX|PLAYWRIGHT|PNPM|POETRY|PYENV|PYTHON|RBENV|RUBY|RUSTUP|SDKMAN|TURBO|UV|VOLTA|YARN)_\\w+',
    'GO(ARCH|BIN|CACHE|ENV|MODCACHE|OS|PATH|PROXY|ROOT|SUMDB|TOOLCHAIN|WORK)|PYTHON\\w+|RUST_(BACKTRACE|LOG)|JDK_HOME|\\w*PATH',
    '\\w+_(HOME|ROOT|DIR|FOLDER|PATH|ENV|VERSION|MODE|LEVEL|LOG|LANG|LOCALE|REGION|PORT|HOST|OPTS|OPTIONS|FLAGS|PREFIX)',
    'DEBUG|ENVIRONMENT|PORT|HOST|VERBOSE',
  ]
    .map((names) => `^(?:${names})$`)
    .join('|'),
  'i',
)

const secretName =
  /KEY|TOKEN|SECRET|PASS|PWD_|_PWD|CREDENTIAL|AUTH(?!OR)|COOKIE|SESSION|PRIVATE|SIGNATURE|WEBHOOK|(^|_)(PAT|DSN|JWT)(_|$)/i

/** Whatever such a variable is called, it belongs to an account. */
const providerName =
  /^(ANTHROPIC|AWS|AZURE|CEREBRAS|CLAUDE|COHERE|DASHSCOPE|DEEPSEEK|FIREWORKS|GEMINI|GOOGLE|GROQ|HF|HUGGINGFACE|MISTRAL|MOONSHOT|MUTSUMI|OLLAMA|OPENAI|OPENROUTER|PERPLEXITY|TOGETHER|VERTEX|XAI|ZHIPU)_/i

const secretValue = new RegExp(
  [
    '^sk-[\\w-]{16,}', // OpenAI, Anthropic, OpenRouter and many that copied them
    '^[sr]k_(live|test)_\\w{16,}', // Stripe
    '^(gh[opsur]|github_pat)_\\w{16,}',
    '^glpat-[\\w-]{16,}',
    '^npm_\\w{30,}',
    '^hf_\\w{20,}',
    '^lin_api_\\w{16,}',
    '^shp(at|ca|pa|ss)_\\w{16,}', // Shopify
    '^do[opr]_v1_\\w{16,}', // DigitalOcean
    '^SG\\.[\\w-]{16,}\\.', // SendGrid
    '^(xox[abprs]|xapp)-',
    '^(AKIA|ASIA)[A-Z0-9]{12,}',
    '^AIza[\\w-]{30,}',
    '^ya29\\.[\\w-]{16,}', // Google, for an hour
    '^eyJ[\\w-]{8,}\\.[\\w-]{8,}', // a JSON web token
    '^AGE-SECRET-KEY-',
    '-----BEGIN [A-Z ]*PRIVATE KEY',
    '://[^/\\s:@]*:[^/\\s@]+@', // a password in an address
  ].join('|'),
)

/** A header, or how a database is reached. */
const secretPart =
  /\b(?:bearer|basic)\s+[\w.~+/-]{8,}|\b(?:password|passwd|pwd|accountkey|sharedaccesskey)\s*=\s*[^;\s]/i

/** Start-up files and functions for the shell, questions for a password, the editor's hooks, flags that load code. */
const forOthers =
  /^(BASH_ENV|ENV|BASH_FUNC_.*|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|CDPATH|.*_ASKPASS|NODE_OPTIONS|NODE_CHANNEL_.*|ELECTRON_.*|VSCODE_.*|DBUS_.*|FORCE_COLOR|CLICOLOR.*)$/i

function isKnown(name: string): boolean {
  return knownNames.test(name) && !forOthers.test(name)
}

function isSecret(name: string, value: string): boolean {
  return secretName.test(name) || providerName.test(name) || secretValue.test(value) || secretPart.test(value)
}
