import { describeSandbox, detectSandbox, userConfigFolder } from '@mutsumi/tools'
import { openHost } from '../host.js'
import type { WorkspaceOptions } from '../options.js'
import { printLine, safeJson, safeLine } from '../terminal/output.js'

/** `mutsumi doctor`: what this machine gives us, and what that means. */
export async function runDoctor(options: WorkspaceOptions & { readonly json?: boolean }): Promise<void> {
  const { workspace, trusted } = await openHost(options.C)
  const findings = {
    node: process.version,
    workspace: workspace.root,
    trusted: trusted ? 'yes' : 'no (mutsumi trust)',
    config: userConfigFolder(),
    sandbox: describeSandbox(await detectSandbox()),
    ripgrep: await describeRipgrep(),
  }
  if (options.json) return printLine(safeJson(findings))
  for (const [name, finding] of Object.entries(findings)) printLine(`${name.padEnd(10)} ${safeLine(finding)}`)
}

async function describeRipgrep(): Promise<string> {
  try {
    const { rgPath } = await import('@vscode/ripgrep')
    return rgPath
  } catch {
    return 'not installed; Grep searches by itself, more slowly'
  }
}
