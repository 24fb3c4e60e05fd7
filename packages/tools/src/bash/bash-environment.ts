import nodePath from 'node:path'
import { isInside, toPosix } from '../workspace/paths.js'
import { realPathOf } from '../workspace/real-path.js'

/**
 * The variables that a command gets: those of the user whose names are known to contain no secrets, unless a value
 * looks like one, and settings for a program without a user. A command that needs another variable sets it itself.
 */
export function commandEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  { confined = false }: { readonly confined?: boolean } = {},
): Record<string, string> {
  const kept = Object.entries(own).flatMap(([name, value]) =>
    value !== undefined && isPassedOn(name, value) ? [[name, value] as const] : [],
  )
  return { ...Object.fromEntries(kept), ...unattended, ...gitSettings(confined) }
}

/** PATH without relative folders and folders in the workspace, because anybody could put an `ls` of their own there. */
export function safeSearchPath(
  path: string | undefined,
  roots: readonly string[],
  { delimiter, isAbsolute, sep }: Pick<nodePath.PlatformPath, 'delimiter' | 'isAbsolute' | 'sep'> = nodePath,
): string {
  const isOutside = (folder: string) =>
    [toPosix(folder, sep), realPathOf(folder) ?? folder].every(
      (place) => !roots.some((root) => isInside(root, place)),
    )
  const folders = (path ?? '').split(delimiter).filter((folder) => isAbsolute(folder) && isOutside(folder))
  return folders.length === 0 ? systemPath : folders.join(delimiter)
}

const systemPath = '/usr/local/bin:/usr/bin:/bin'

const unattended = {
  CI: '1',
  DEBIAN_FRONTEND: 'noninteractive',
  GIT_EDITOR: 'true',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  NO_COLOR: '1',
  PAGER: 'cat',
  TERM: 'dumb',
}

// For git, these override the repository's own config. There is no such switch for filters and textconv, which a
// repository's config names one by one; in the sandbox that config cannot be changed. Hooks stay on, because many
// projects check commits with them.
const gitDefaults = {
  'core.fsmonitor': 'false',
  // An empty value clears the list: nobody can answer a prompt, and a command must not get passwords.
  'credential.helper': '',
  'protocol.ext.allow': 'never',
  // A background process would be killed with the command.
  'gc.auto': '0',
  'maintenance.auto': 'false',
}

/** In the sandbox a repository's config and its `info` are read-only. Without these settings git would fail halfway. */
const gitInSandbox = {
  'branch.autoSetupMerge': 'false',
  'repack.updateServerInfo': 'false',
}

function gitSettings(confined: boolean): Record<string, string> {
  const settings = Object.entries({ ...gitDefaults, ...(confined ? gitInSandbox : {}) })
  const numbered = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(numbered) }
}

/** Whole names, and endings of names that mean a place, a number or a mode. Never all variables of a tool. */
const knownNames = new RegExp(
  [
    'HOME|LOGNAME|PATH|PWD|SHELL|SHLVL|TMPDIR|TEMP|TMP|TZ|USER|LANG|LANGUAGE|LC_\\w+|HOSTNAME|COLUMNS|LINES',
    'XDG_(CACHE|CONFIG|DATA|STATE)_(HOME|DIRS)|XDG_(RUNTIME_DIR|SESSION_TYPE|CURRENT_DESKTOP)',
    '(HTTPS?|FTP|ALL|NO)_PROXY|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|\\w+_CA_(BUNDLE|FILE|PATH)|SOURCE_DATE_EPOCH',
    'AR|AS|CC|CPP|CXX|LD|MAKE|NM|RANLIB|(CGO_)?(C|CPP|CXX|LD)FLAGS|(MAKE|RUST|GO)FLAGS|MAKELEVEL|VIRTUAL_ENV|EDITOR|VISUAL',
    'CMAKE_(BUILD_TYPE|BUILD_PARALLEL_LEVEL|GENERATOR|PREFIX_PATH|TOOLCHAIN_FILE|INSTALL_PREFIX)|CTEST_OUTPUT_ON_FAILURE',
    'BUN_INSTALL|BUNDLE_(PATH|GEMFILE|JOBS|WITHOUT|DEPLOYMENT|FROZEN)|CCACHE_MAXSIZE|CGO_ENABLED|COREPACK_ENABLE_STRICT',
    'CARGO_(INCREMENTAL|BUILD_JOBS|NET_OFFLINE|TERM_COLOR)|RUSTUP_TOOLCHAIN|RUST_(BACKTRACE|LOG)|RUSTC(_WRAPPER)?|RUSTDOC',
    'CONDA_(PREFIX|DEFAULT_ENV|EXE|PYTHON_EXE)|DOTNET_(NOLOGO|CLI_TELEMETRY_OPTOUT)|JDK_HOME|JAVA_VERSION',
    'GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)|GIT_SSL_CA(INFO|PATH)|GIT_DISCOVERY_ACROSS_FILESYSTEM',
    'GO(ARCH|ARM|AMD64|BIN|CACHE|ENV|EXPERIMENT|MODCACHE|OS|PATH|PROXY|ROOT|SUMDB|TOOLCHAIN|WORK)',
    'NIX_(PROFILES|SSL_CERT_FILE)|NVM_(BIN|INC)|PNPM_HOME|VOLTA_HOME|TURBO_TELEMETRY_DISABLED|PLAYWRIGHT_BROWSERS_PATH',
    'NPM_CONFIG_(CACHE|PREFIX|REGISTRY|LOGLEVEL|FUND|AUDIT|OFFLINE|PREFER_OFFLINE|UPDATE_NOTIFIER|PROGRESS|IGNORE_SCRIPTS)',
    'NPM_CONFIG_(CAFILE|ENGINE_STRICT|LEGACY_PEER_DEPS|NODEDIR)|YARN_CACHE_FOLDER|YARN_ENABLE_\\w+',
    'PIP_(INDEX_URL|EXTRA_INDEX_URL|NO_INDEX|CACHE_DIR|NO_CACHE_DIR|DISABLE_PIP_VERSION_CHECK|BREAK_SYSTEM_PACKAGES)',
    'UV_(INDEX_URL|EXTRA_INDEX_URL|DEFAULT_INDEX|OFFLINE|PYTHON|LINK_MODE|SYSTEM_PYTHON)|POETRY_VIRTUALENVS_\\w+',
    'PYTHON(PATH|HOME|HASHSEED|UNBUFFERED|DONTWRITEBYTECODE|IOENCODING|UTF8|WARNINGS|NOUSERSITE)|PYENV_VERSION|RUBYLIB',
    '\\w+_(HOME|ROOT|DIR|FOLDER|PATH|ENV|VERSION|MODE|LEVEL|LOG|LANG|LOCALE|REGION|PORT|HOST|PREFIX)|MANPATH|CLASSPATH',
    'DEBUG|ENVIRONMENT|PORT|HOST|VERBOSE|MIX_ENV|PKG_CONFIG_PATH|LD_LIBRARY_PATH|NODE_PATH|INFOPATH',
  ]
    .map((names) => `^(?:${names})$`)
    .join('|'),
  'i',
)

const secretName =
  /KEY|TOKEN|SECRET|PASS|PWD_|_PWD|CREDENTIAL|AUTH(?!OR)|COOKIE|SESSION|PRIVATE|SIGNATURE|WEBHOOK|(^|_)(PAT|DSN|JWT)(_|$)/i

/** A variable with such a name belongs to an account. */
const providerName =
  /^(ANTHROPIC|AWS|AZURE|CEREBRAS|CLAUDE|COHERE|DASHSCOPE|DEEPSEEK|FIREWORKS|GEMINI|GOOGLE|GROQ|HF|HUGGINGFACE|MISTRAL|MOONSHOT|MUTSUMI|OLLAMA|OPENAI|OPENROUTER|PERPLEXITY|TOGETHER|VERTEX|XAI|ZHIPU)_/i

/** Anywhere in a value: `-Dtoken=ghp_…` contains one too. */
const secretValue = new RegExp(
  [
    'sk-[\\w-]{16,}', // OpenAI, Anthropic, OpenRouter and many that copied them
    '[sr]k_(live|test)_\\w{16,}', // Stripe
    '(gh[opsur]|github_pat)_\\w{16,}',
    'glpat-[\\w-]{16,}',
    'npm_\\w{30,}',
    'pypi-[\\w-]{16,}',
    'hf_\\w{20,}',
    'lin_api_\\w{16,}',
    'shp(at|ca|pa|ss)_\\w{16,}', // Shopify
    'do[opr]_v1_\\w{16,}', // DigitalOcean
    'SG\\.[\\w-]{16,}\\.', // SendGrid
    '(xox[abprs]|xapp)-',
    '(AKIA|ASIA)[A-Z0-9]{12,}',
    'AIza[\\w-]{30,}',
    'ya29\\.[\\w-]{16,}', // Google, for an hour
    'eyJ[\\w-]{8,}\\.[\\w-]{8,}', // a JSON web token
    'AGE-SECRET-KEY-',
  ]
    .map((shape) => `(?<![A-Za-z0-9])${shape}`)
    .concat('-----BEGIN [A-Z ]*PRIVATE KEY')
    .join('|'),
)

/** Secrets in addresses: `https://user:word@host`, `https://token@host`, `?key=…`, a part that looks random. */
const secretAddress =
  /:\/\/[^/\s]*@|:\/\/\S*[?&]\w*(?:token|key|secret|sig|auth)\w*=|:\/\/\S*\/(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{20,}/i

/** A header, a setting, or a database connection string. */
const secretPart =
  /\b(?:bearer|basic)\s+[\w.~+/-]{8,}|\b[\w.-]*(?:password|passwd|pwd|accountkey|sharedaccesskey|token|tokens|secret|api_?key)\s*=\s*[^;\s]/i

/** Start-up files and functions for the shell, programs that ask for passwords, editor hooks, flags that load code. */
const forOthers =
  /^(BASH_ENV|ENV|BASH_FUNC_.*|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|CDPATH|.*_ASKPASS|NODE_OPTIONS|NODE_CHANNEL_.*|ELECTRON_.*|VSCODE_.*|DBUS_.*|FORCE_COLOR|CLICOLOR.*)$/i

/** The answers for the last values: matching all of them takes longer than the rest of a command's preparation. */
const answers = new Map<string, { readonly value: string; readonly isPassedOn: boolean }>()

function isPassedOn(name: string, value: string): boolean {
  const known = answers.get(name)
  if (known?.value === value) return known.isPassedOn
  const isPassedOn = isKnown(name) && !isSecret(name, value)
  answers.set(name, { value, isPassedOn })
  return isPassedOn
}

function isKnown(name: string): boolean {
  return knownNames.test(name) && !forOthers.test(name)
}

function isSecret(name: string, value: string): boolean {
  return (
    secretName.test(name) ||
    providerName.test(name) ||
    value.length > valueLimit ||
    [secretValue, secretAddress, secretPart].some((shape) => shape.test(value))
  )
}

/** Longer values are not settings of a tool, and too long to search. */
const valueLimit = 8192
