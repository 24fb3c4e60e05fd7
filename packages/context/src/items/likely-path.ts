import { codeSpanWalker } from '../text/code-spans.js'
import type { MentionSite } from '../text/mention-scanner.js'

/** Says whether an `@word` that names nothing was probably meant as a path. Ask with ascending sites. */
export function likelyPaths(text: string): (site: MentionSite) => boolean {
  let inCode: ((offset: number) => boolean) | undefined
  return ({ at, written }) => {
    if (!hasPathForm(written) || text[at - 1] === '/') return false
    if (!written.includes('/') && isDecorator(text, at + 1 + written.length)) return false
    inCode ??= codeSpanWalker(text)
    return !inCode(at)
  }
}

/** It has a slash or an extension; `@alice` and `@Override` have neither. */
function hasPathForm(written: string): boolean {
  return /[\p{L}\p{N}]/u.test(written) && (written.includes('/') || extension.test(written))
}

const extension = /\.[A-Za-z][A-Za-z0-9]{0,9}$/

/** `@app.route(…)`, and `@name.setter` on the line above a declaration. */
function isDecorator(text: string, end: number): boolean {
  return decorated.test(text.slice(end, end + 300))
}

const decorated =
  /^(?:\(|[ \t]*\r?\n(?:[ \t]*@[^\n]*\n){0,3}[ \t]*(?:async|class|const|def|export|function|private|protected|public|static)\b)/

/** A package of a registry, or a team: `@angular/core`. Paths may have the same form. */
export function hasPackageForm(written: string): boolean {
  return /^[a-z0-9~-][a-z0-9._~-]*(?:\/[a-z0-9~-][a-z0-9._~-]*)+$/.test(written) && !extension.test(written)
}
