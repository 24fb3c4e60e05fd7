import { otherConfigNames, settingNames } from '@mutsumi/host'
import type { Command } from 'commander'
import { bashScript } from '../completion/bash-script.js'
import { type ArgumentKinds, type CommandNode, commandTree } from '../completion/command-tree.js'
import { fishScript } from '../completion/fish-script.js'
import { zshScript } from '../completion/zsh-script.js'
import { printDocument } from '../terminal/output.js'

const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

const names = [...settingNames, ...otherConfigNames]

const argumentKinds: ArgumentKinds = {
  ...{ 'config get': names, 'config set': names, 'config unset': names },
  ...{ resume: 'session', fork: 'session', export: 'session', replay: 'session' },
  ...{ 'sessions rename': 'session', 'sessions delete': 'session', 'sessions accept': 'session' },
  render: 'file',
}

const writers: Readonly<Record<Shell, (tree: CommandNode) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** `mutsumi completion SHELL`: a script made from the program's own commands and flags. */
export function runCompletion(shell: Shell, program: Command): void {
  printDocument(writers[shell](commandTree(program, argumentKinds)))
}
