/** A place in a file, as a text names it. */
export interface FilePlace {
  readonly path: string
  /** From 1. */
  readonly line?: number
}

/** A piece of a text: a file that it names, or other words. */
export type TextPiece = { readonly text: string; readonly place?: FilePlace }

/** `src/a.ts`, `a.ts:3`, `./a.ts:3:9`, `a.ts#L3-L9`: the file, if the whole text names one; undefined for other words. */
export function placeIn(text: string): FilePlace | undefined {
  const [, path = '', afterColon, afterHash] = whole.exec(text) ?? []
  const line = Number(afterColon ?? afterHash ?? 0)
  if (!isPath(path) || !(line > 0 || isKnownType(path))) return undefined
  return { path, ...(line > 0 && { line }) }
}

/** The files that prose names. Only with a folder or a line, because Node.js and console.log are no files. */
export function piecesWithPlaces(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = []
  let done = 0
  for (const { 0: found, index } of text.matchAll(inProse)) {
    const place = placeIn(found)
    if (!place || (place.line === undefined && !place.path.includes('/'))) continue
    if (index > done) pieces.push({ text: text.slice(done, index) })
    pieces.push({ text: found, place })
    done = index + found.length
  }
  return done < text.length ? [...pieces, { text: text.slice(done) }] : pieces
}

/** The target of a Markdown link, if it is a file and not an address. */
export function linkedPlace(written: string): FilePlace | undefined {
  // `file:///src/a.ts`. With a server in it, it is no place: opening it would send the user's name there.
  const href = written.replace(/^file:\/\/(?:\/(?=[a-z]:\/)|(?=\/(?![/\\]|%2f|%5c)))/i, '')
  if (/^[a-z][a-z0-9+.-]+:(?!\d)/i.test(href) || /^(?:[#?]|\/\/)/.test(href)) return undefined
  const [, path = '', afterColon, afterHash] =
    /^([^#?]+?)(?::(\d+)(?:[:-]\d+)?)?(?:#L(\d+)\S*|#.*)?$/.exec(href) ?? []
  const line = Number(afterColon ?? afterHash ?? 0)
  return path === '' ? undefined : { path: decoded(path), ...(line > 0 && { line }) }
}

const whole = /^([^\s:#?*<>|"'`()[\]{},;\\]{1,300})(?::(\d{1,7})(?:[:-]\d+)*|#L(\d{1,7})(?:-L?\d+)?)?$/
const inProse =
  /(?<![\w./@:-])[\w.@-][\w./@-]*\.\w{1,10}(?::\d{1,7}(?:[:-]\d+)*|#L\d{1,7}(?:-L?\d+)?)?(?![\w/])/g

function isPath(path: string): boolean {
  return /[\w-]/.test(path) && !path.endsWith('/') && !path.includes('//')
}

function isKnownType(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const type = /.\.(\w{1,10})$/.exec(name)?.[1] ?? ''
  return types.has(type.toLowerCase()) || /^(?:Makefile|Dockerfile|LICENSE)$/.test(name)
}

/** Endings that are more often files than members of an object. */
const types: ReadonlySet<string> = new Set(
  (
    'ts tsx mts cts js jsx mjs cjs json jsonc json5 md mdx mtm py pyi rb rs go java kt kts swift c h cc cpp hpp cs fs ' +
    'php lua scala clj ex exs erl hs ml sh bash zsh ps1 bat sql graphql proto html htm css scss sass less vue svelte ' +
    'astro xml yml yaml toml ini cfg conf lock txt csv tsv svg png jpg ipynb dockerfile gradle tf'
  ).split(' '),
)

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // A percent sign that is part of the name.
    return path
  }
}
