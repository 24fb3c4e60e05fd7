/** The names of pictures. The first bytes of the file decide whether it really is one. */
const pictureName = /\.(?:png|jpe?g|gif|webp)$/i
/** Nobody drags more at once, so a longer paste is text. */
const longestPaste = 8192

/**
 * The paths in a paste that contains only paths of pictures, as terminals write files that are dragged onto them.
 * Undefined for anything else.
 *
 *     '/home/me/my shot.png'      /home/me/my\\ shot.png      file:///home/me/my%20shot.png
 */
export function pastedPaths(text: string): readonly string[] | undefined {
  if (text.length > longestPaste || !/\.(?:png|jpe?g|gif|webp)['"]?\s*$/i.test(text)) return undefined
  const plain = text.trim()
  // A path that is pasted alone may contain spaces that are not escaped.
  const words =
    /^(?:\/|~\/|\.{1,2}\/)[^\n"'\\]*$/.test(plain) && isOnePath(plain) ? [plain] : shellWords(plain)
  const paths = words?.map(asPath)
  return paths?.every((path) => path !== undefined && pictureName.test(path))
    ? (paths as string[])
    : undefined
}

/** Not several paths in a row. */
function isOnePath(text: string): boolean {
  return !/\.\w+\s+(?:\/|~\/|\.{1,2}\/|file:)/.test(text)
}

function asPath(word: string): string | undefined {
  if (!word.startsWith('file://')) return word
  try {
    const { hostname, pathname } = new URL(word)
    return hostname === '' || hostname === 'localhost' ? decodeURIComponent(pathname) : undefined
  } catch {
    // The address does not name a file.
    return undefined
  }
}

/** Splits a text into words as a shell does, with quotes and backslashes. Undefined if a quote is not closed. */
export function shellWords(text: string): readonly string[] | undefined {
  const words: string[] = []
  const word = /\s*((?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+)/gsy
  let at = 0
  for (let found = word.exec(text); found; found = word.exec(text)) {
    words.push(unquoted(found[1] ?? ''))
    at = word.lastIndex
  }
  return text.slice(at).trim() === '' && words.length > 0 ? words : undefined
}

function unquoted(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs,
    (_, single?: string, double?: string, sign?: string) =>
      single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? sign ?? '',
  )
}
