import type { JsonObject } from '@mutsumi/schema'
import { explanations, folderNames } from './common-words.js'
import { booleanIn, type ForeignWords, numberIn, take } from './foreign-words.js'

export const lsWords: ForeignWords = {
  names: {
    path: folderNames,
    include_hidden: ['-a', 'all', 'showhidden', 'hidden'],
    ignore: ['ignoreglobs', 'exclude', 'ignorepatterns'],
    limit: ['headlimit', 'maxresults', 'maxentries'],
  },
  ignored: [
    ...explanations,
    'recursive',
    'depth',
    'maxdepth',
    '-l',
    'respectgitignore',
    'filefilteringoptions',
  ],
}

export const globWords: ForeignWords = {
  names: {
    pattern: ['glob', 'globpattern', 'filepattern', 'query'],
    path: folderNames,
    limit: ['headlimit', 'maxresults'],
  },
  ignored: [...explanations, 'casesensitive', 'exclude', 'ignore', 'recursive', 'filefilteringoptions'],
  adapt(args) {
    const { found, rest } = take(args, ['respectgitignore'])
    const isRespected = booleanIn(found[0])
    if (isRespected === undefined) return args
    return 'include_ignored' in rest ? rest : { ...rest, include_ignored: !isRespected }
  },
}

export const grepWords: ForeignWords = {
  names: {
    pattern: ['query', 'regex', 'regexp', 'search', 'searchterm', 'searchpattern'],
    path: [...folderNames, 'file', 'filename'],
    include: ['glob', 'includepattern', 'filepattern', 'includes', 'fileglob'],
    limit: ['headlimit', 'maxresults', 'maxmatches', '-m'],
    context_lines: ['context'],
  },
  ignored: [
    ...explanations,
    ...['outputmode', '-n', 'linenumbers', 'showlinenumbers', '-r', '-l', '-h', '-e', 'recursive', 'type'],
    ...['multiline', 'isregexp', 'isregex', 'offset', 'exclude', 'excludepattern', 'respectgitignore'],
  ],
  adapt: (args) => withoutEndless(withInclude(withCase(withContext(args)))),
}

/** `-A 2 -B 3` is at most three lines on both sides. */
function withContext(args: JsonObject): JsonObject {
  const { found, rest } = take(args, ['-a', '-b', '-c', 'aftercontext', 'beforecontext'])
  const numbers = found.map(numberIn)
  if (found.length === 0 || numbers.includes(undefined)) return args
  const own = numberIn(rest.context_lines) ?? 0
  return { ...rest, context_lines: Math.min(Math.max(own, ...numbers.map((number) => number ?? 0)), 20) }
}

function withCase(args: JsonObject): JsonObject {
  const { found, rest } = take(args, ['-i', 'ignorecase', 'caseinsensitive'])
  const isIgnored = booleanIn(found[0])
  const own = booleanIn(rest.case_sensitive) ?? !isIgnored
  // Two names that contradict each other are for the tool to refuse.
  if (isIgnored === undefined || found.length > 1 || own === isIgnored) return args
  return { ...rest, case_sensitive: own }
}

/** ripgrep's `type` as a pattern. With a pattern it changes nothing. */
function withInclude(args: JsonObject): JsonObject {
  const { found, rest } = take(args, ['type', 'filetype'])
  const [type] = found
  if (typeof type !== 'string' || !/^\w+$/.test(type) || 'include' in rest) return args
  const endings = Object.hasOwn(fileTypes, type) ? fileTypes[type] : undefined
  return { ...rest, include: endings === undefined ? `*.${type}` : `*.{${endings}}` }
}

const fileTypes: Readonly<Record<string, string>> = {
  js: 'js,jsx,mjs,cjs,vue',
  javascript: 'js,jsx,mjs,cjs',
  ts: 'ts,tsx,mts,cts',
  typescript: 'ts,tsx,mts,cts',
  py: 'py,pyi',
  python: 'py,pyi',
  rust: 'rs,rlib',
  ruby: 'rb,gemspec',
  cpp: 'cpp,cc,cxx,hpp,hh,h,hxx',
  c: 'c,h',
  csharp: 'cs,csx',
  kotlin: 'kt,kts',
  markdown: 'md,markdown,mdx',
  md: 'md,markdown,mdx',
  yaml: 'yml,yaml',
  html: 'html,htm',
  sh: 'sh,bash,zsh',
}

/** 0 means "all" elsewhere. Our result says how many there are. */
function withoutEndless(args: JsonObject): JsonObject {
  return numberIn(args.limit) === 0 ? take(args, ['limit']).rest : args
}
