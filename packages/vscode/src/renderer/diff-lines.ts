import { safeText } from '@mutsumi/schema'
import { diffWordsWithSpace } from 'diff'
import { colouredCode } from './code.js'
import { element, type PageElement, type PageNode } from './elements.js'

/** Longer lines are compared as a whole, not word by word. */
const longestCompared = 300

/** The lines of a unified diff, each an element: code has its colours, and the words that changed are marked. */
export function diffLines(text: string): readonly PageElement[] {
  const lines = text.split('\n').map((line) => safeText(line.replace(/\r$/, '')))
  const language = languageIn(lines)
  return lines.map((line, at) => {
    const kind = kindOf(line)
    if (line === '') return element('span', { class: kind }, [' '])
    if (kind === 'place') return element('span', { class: kind }, [line])
    const words = changedWords(lines, at)
    return element('span', { class: kind }, [
      line.slice(0, 1),
      ...(words ?? colouredLine(line.slice(1), language)),
    ])
  })
}

/** A line inside a block comment says so only by its star. */
function colouredLine(code: string, language: string): readonly PageNode[] {
  const isComment = starred.test(language) && /^\s*\*(?:\/|\s|$)/.test(code)
  return isComment ? [element('span', { class: 'code-comment' }, [code])] : colouredCode(code, language)
}

/** The endings of languages whose block comments have a star in each line. */
const starred = /^(?:[cm]?[jt]sx?|java|kt|swift|cs?|cc|cpp|hp?p?|go|rs|php|s?css|scala)$/i

/** The ending of the changed file. */
function languageIn(lines: readonly string[]): string {
  const head = lines.find((line) => line.startsWith('+++ ') && !line.endsWith('/dev/null'))
  return /\.(\w+)\s*$/.exec(head ?? '')?.[1] ?? ''
}

/** The words of a single line that replaced another single one; undefined for lines of a larger change. */
function changedWords(lines: readonly string[], at: number): readonly PageNode[] | undefined {
  const sign = lines[at]?.charAt(0)
  const first = sign === '-' ? at : sign === '+' ? at - 1 : -1
  const [before, old = '', now = '', after] = [-1, 0, 1, 2].map((step) => lines[first + step])
  const isPair =
    first >= 0 &&
    [kindOf(old), kindOf(now)].join() === 'removed,added' &&
    kindOf(before ?? '') !== 'removed' &&
    kindOf(after ?? '') !== 'added'
  if (!isPair || Math.max(old.length, now.length) > longestCompared) return undefined
  const own = sign === '-' ? 'removed' : 'added'
  return diffWordsWithSpace(old.slice(1), now.slice(1)).flatMap((part): PageNode[] =>
    part[own]
      ? [element('span', { class: 'changed' }, [part.value])]
      : part.added || part.removed
        ? []
        : [part.value],
  )
}

function kindOf(line: string): 'place' | 'added' | 'removed' | 'same' {
  if (/^(?:\+\+\+|---) /.test(line) || line.startsWith('@@')) return 'place'
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same'
}
