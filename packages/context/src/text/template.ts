import { BracketScanner } from './brackets.js'

/** A piece of a document: plain text, a use of a macro, or a reference. */
export type TemplatePiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'macro'; readonly text: string; readonly name: string; readonly at: number }
  | { readonly kind: 'reference'; readonly text: string; readonly content: string; readonly at: number }

const mark = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}|@\[/g

/** Splits a document at its `{{NAME}}` and `@[…]`. The joined texts of the pieces are the document. */
export function parseTemplate(text: string): TemplatePiece[] {
  const pieces: TemplatePiece[] = []
  const brackets = new BracketScanner(text)
  let copiedTo = 0
  const cut = (at: number) => {
    if (at > copiedTo) pieces.push({ kind: 'text', text: text.slice(copiedTo, at) })
  }
  mark.lastIndex = 0
  for (let match = mark.exec(text); match; match = mark.exec(text)) {
    const at = match.index
    const bracket = match[1] === undefined ? brackets.at(at) : undefined
    if (match[1] === undefined && !bracket) continue
    cut(at)
    copiedTo = bracket?.end ?? mark.lastIndex
    const whole = text.slice(at, copiedTo)
    if (bracket) pieces.push({ kind: 'reference', text: whole, content: bracket.content, at })
    else pieces.push({ kind: 'macro', text: whole, name: match[1] ?? '', at })
    mark.lastIndex = copiedTo
  }
  cut(text.length)
  return pieces
}
