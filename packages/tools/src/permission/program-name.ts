const aliases: ReadonlyMap<string, string> = new Map(
  [
    'node nodejs iojs tsx ts-node esno jiti vite-node',
    'python pypy ipython jython micropython',
    'gcc g++ c++ cc c89 c99 cpp clang clang++ clang-cpp gfortran',
    'awk gawk mawk nawk original-awk',
    'sed gsed ssed',
    'make gmake bmake',
    'tar gtar',
    'find gfind',
    'fd fdfind',
    'bat batcat',
    'perl perl-static',
    'ruby jruby truffleruby',
    'lua luajit',
    'php php-cgi',
    'pip pip-tools',
    'npm cnpm tnpm',
    'yarn yarnpkg',
  ].flatMap((names) => {
    const [main = '', ...others] = names.split(' ')
    return others.map((other) => [other, main] as const)
  }),
)

/**
 * The name under which a program is known here: `/usr/bin/Python3.11` is python, `g++-12` is gcc, `vim.basic` is
 * vim. The file system of a Mac takes `ENV` for `env`.
 */
export function programName(command: string, isListed: (name: string) => boolean): string {
  const own = command
    .slice(command.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/(?<=.)\.exe$/, '')
  // The loader of programs is one by whatever name: `ld-linux-x86-64.so.2`.
  if (/^ld[-.].*so/.test(own)) return 'ld.so'
  const plain = own.replace(/(?<=.)\.[a-z]+$/, '')
  const spellings = [own, withoutVersion(own), plain, withoutVersion(plain)]
  return spellings.map((name) => aliases.get(name) ?? name).find(isListed) ?? own
}

function withoutVersion(name: string): string {
  return name.replace(/(?<=[a-z+])[-_.]?\d+(?:\.\d+)*$/, '')
}
