/**
 * ripgrep's order: name by name and byte by byte. A path cannot contain NUL, which sorts before every letter. So a
 * folder's files come before its neighbour `folder-two`.
 */
export function byPath(one: string, other: string): number {
  return Buffer.compare(keyOf(one), keyOf(other))
}

function keyOf(path: string): Buffer {
  return Buffer.from(path.replaceAll('/', '\0'))
}
