import { isInside } from '../workspace/paths.js'

// What is written here runs later, outside every rule and every sandbox: hooks, editor tasks, start-up
// files, Mutsumi's own permissions. They are protected in whatever folder they lie, for a submodule has
// hooks too and a line may have changed its folder before.
const protectedNames: readonly (readonly string[])[] = [
  ['.git'],
  ['.vscode'],
  ['.mutsumi', 'config.json'],
  ['.ssh'],
  ['.gitconfig'],
  ['.npmrc'],
  ['.envrc'],
  ['.inputrc'],
  ['.pam_environment'],
  ['.config', 'git'],
  ['.config', 'fish'],
  ['.config', 'autostart'],
  ['.config', 'systemd'],
  ['.config', 'environment.d'],
  ['library', 'launchagents'],
  ...'.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout'
    .split(' ')
    .map((name) => [name]),
  ...'.kshrc .mkshrc .cshrc .tcshrc .login .logout .xprofile .xinitrc .xsession'
    .split(' ')
    .map((name) => [name]),
]

/** True where a change would take effect beyond the work at hand. Such paths ask, whatever the rules say. */
export function isProtectedPath(path: string, configFolders: readonly string[]): boolean {
  const folded = path.normalize('NFC').toLowerCase()
  const names = folded.split('/')
  // The folder itself too: who replaces `.mutsumi` replaces the config in it.
  if (names.at(-1) === '.mutsumi') return true
  return (
    configFolders.some((folder) => isInside(folder.normalize('NFC').toLowerCase(), folded)) ||
    protectedNames.some((sequence) => holds(names, sequence))
  )
}

function holds(names: readonly string[], sequence: readonly string[]): boolean {
  return names.some((_, start) => sequence.every((name, offset) => names[start + offset] === name))
}
