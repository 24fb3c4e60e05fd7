import type { PageElement, PageNode } from '../../src/renderer/elements.js'

/** What is shown, as HTML. `omit`: attributes that a test is not about. */
export function htmlOf(
  shown: PageNode | readonly PageNode[],
  omit: readonly string[] = ['tabindex', 'type'],
): string {
  if (typeof shown === 'string') return shown.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  if (isList(shown)) return shown.map((each) => htmlOf(each, omit)).join('')
  const attributes = Object.entries(shown.attributes)
    .filter(([name]) => !omit.includes(name))
    .map(([name, value]) => ` ${name}="${value}"`)
  return `<${shown.name}${attributes.join('')}>${htmlOf(shown.content, omit)}</${shown.name}>`
}

/** The text that a person reads. */
export function textIn(shown: PageNode | readonly PageNode[]): string {
  if (typeof shown === 'string') return shown
  return isList(shown) ? shown.map(textIn).join('') : textIn(shown.content)
}

/** The elements with a class, in order. */
export function withClass(shown: PageNode | readonly PageNode[], name: string): readonly PageElement[] {
  if (typeof shown === 'string') return []
  if (isList(shown)) return shown.flatMap((each) => withClass(each, name))
  const isIt = shown.attributes.class?.split(' ').includes(name)
  return [...(isIt ? [shown] : []), ...withClass(shown.content, name)]
}

/** Clicks on an element, as a person does. */
export function click(shown: PageElement | undefined): void {
  const event = { preventDefault: () => undefined } as Event
  shown?.act?.(event, undefined as never)
}

function isList(shown: PageNode | readonly PageNode[]): shown is readonly PageNode[] {
  return Array.isArray(shown)
}
