import platformPath, { type PlatformPath } from 'node:path'

/** The path functions of a machine: `node:path` of this one, or of another in tests. */
export type PathFlavour = Pick<PlatformPath, 'isAbsolute' | 'relative' | 'resolve' | 'sep'>

/** A file as references name it: relative to its root, and absolute outside it. Always with slashes. */
export function referencePath(path: string, root: string, flavour: PathFlavour = platformPath): string {
  const inside = flavour.relative(root, path)
  const isOutside = inside === '..' || inside.startsWith(`..${flavour.sep}`) || flavour.isAbsolute(inside)
  return withSlashes(isOutside ? path : inside === '' ? '.' : inside, flavour)
}

/** The file that a reference names, as this machine writes its path. */
export function filePath(reference: string, root: string, flavour: PathFlavour = platformPath): string {
  return flavour.resolve(root, reference)
}

/** A backslash separates names on Windows, and is a letter of a name elsewhere. */
export function withSlashes(path: string, { sep }: Pick<PathFlavour, 'sep'> = platformPath): string {
  return sep === '\\' ? path.replaceAll('\\', '/') : path
}

/** The first and last line of a selection, from 1. */
export interface ReferencedLines {
  readonly first: number
  readonly last: number
}

/** `@[src/a.ts]`, `@[src/a.ts:3]` or `@[src/a.ts:3:9]`. */
export function referenceTo(
  path: string,
  root: string,
  {
    lines,
    flavour = platformPath,
  }: { readonly lines?: ReferencedLines | undefined; readonly flavour?: PathFlavour } = {},
): string {
  const range = lines
    ? lines.first === lines.last
      ? `:${lines.first}`
      : `:${lines.first}:${lines.last}`
    : ''
  return `@[${referencePath(path, root, flavour)}${range}]`
}
