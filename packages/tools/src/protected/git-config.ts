/** One line of a git config: its section without the quoted part and its key, both in lower case, and the value. */
export interface GitSetting {
  readonly section: string
  readonly key: string
  readonly value: string
}

/**
 * The settings of a config. Lines that git would refuse are skipped; a value that continues on the next line ends
 * here.
 */
export function parseGitConfig(text: string): GitSetting[] {
  const settings: GitSetting[] = []
  let section = ''
  for (const line of text.split('\n')) {
    const header = headerOf.exec(line)
    if (header) section = (header[1] ?? '').toLowerCase()
    const [, key, value = ''] = settingOf.exec(line.slice(header?.[0].length ?? 0)) ?? []
    if (key !== undefined) settings.push({ section, key: key.toLowerCase(), value: plainValue(value) })
  }
  return settings
}

/**
 * `[core]`, `[remote "origin"]` and the older `[remote.origin]`; a setting may follow on the same line. Each part begins
 * with another character, so that no line takes long: a stranger may have written it.
 */
const headerOf = /^\s*\[\s*([\w-]+)(?:\.[^\]"]*|\s*)(?:"(?:\\.|[^"\\])*"\s*)?\]/

const settingOf = /^\s*([a-z][a-z0-9-]*)\s*(?:=\s*(.*))?$/is

/** Without its comment and its quotes. */
function plainValue(written: string): string {
  const [value = ''] = /^(?:"(?:\\.|[^"\\])*"?|\\.|[^#;"\\])*/.exec(written) ?? []
  return value.trim().replace(/"|\\(.)/g, (_, escaped: string | undefined) => escaped ?? '')
}
