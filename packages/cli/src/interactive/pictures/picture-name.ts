/** The name of the picture that a piece of a prompt shows; undefined if the piece is something else. */
export function pictureName(text: string): string | undefined {
  return /^!\[([^[\]\n]*)\]\(file:[^()\s]*\)$/.exec(text)?.[1]
}
