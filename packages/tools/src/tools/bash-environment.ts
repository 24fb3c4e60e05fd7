/** The variables a command gets: the user's, without what opens doors, and set for a program that nobody watches. */
export function commandEnvironment(
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const kept = Object.entries(own).flatMap(([name, value]) =>
    value === undefined || isSecret(name, value) || isForOthers(name) ? [] : [[name, value] as const],
  )
  return { ...Object.fromEntries(kept), ...unattended }
}

const unattended = {
  CI: '1',
  DEBIAN_FRONTEND: 'noninteractive',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  NO_COLOR: '1',
  PAGER: 'cat',
  TERM: 'dumb',
}

const secretName =
  /KEY|TOKEN|SECRET|PASS|PWD_|_PWD|CREDENTIAL|AUTH(?!OR)|COOKIE|SESSION|PRIVATE|SIGNATURE|WEBHOOK|(^|_)(PAT|DSN|JWT)(_|$)/i

/** Whatever such a variable is called, it belongs to an account. */
const providerName =
  /^(ANTHROPIC|AWS|AZURE|CEREBRAS|CLAUDE|COHERE|DASHSCOPE|DEEPSEEK|FIREWORKS|GEMINI|GOOGLE|GROQ|HF|HUGGINGFACE|MISTRAL|MOONSHOT|MUTSUMI|OLLAMA|OPENAI|OPENROUTER|PERPLEXITY|TOGETHER|VERTEX|XAI|ZHIPU)_/i

const secretValue = new RegExp(
  [
    '^sk-[\\w-]{16,}', // OpenAI, Anthropic, OpenRouter and many that copied them
    '^(gh[opsur]|github_pat)_\\w{16,}',
    '^glpat-[\\w-]{16,}',
    '^npm_\\w{30,}',
    '^hf_\\w{20,}',
    '^xox[abprs]-',
    '^(AKIA|ASIA)[A-Z0-9]{12,}',
    '^AIza[\\w-]{30,}',
    '^eyJ[\\w-]{8,}\\.[\\w-]{8,}', // a JSON web token
    '-----BEGIN [A-Z ]*PRIVATE KEY',
    '://[^/\\s:@]*:[^/\\s@]+@', // a password in an address
  ].join('|'),
)

function isSecret(name: string, value: string): boolean {
  return secretName.test(name) || providerName.test(name) || secretValue.test(value)
}

/** Start-up files and functions for the shell, the editor's hooks into its own children, Node's flags for us. */
const forOthers =
  /^(BASH_ENV|ENV|BASH_FUNC_.*|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|.*_ASKPASS|NODE_OPTIONS|NODE_CHANNEL_.*|ELECTRON_.*|VSCODE_.*|DBUS_.*|FORCE_COLOR|CLICOLOR.*)$/i

function isForOthers(name: string): boolean {
  return forOthers.test(name)
}
