import { listen } from './person-events.js'
import type { RendererWords } from './words.js'

/** A piece of the page as data: what is shown is decided without a page, and `build` alone makes nodes. */
export type PageNode = PageElement | string

export interface PageElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly content: readonly PageNode[]
  /** Called by a click. */
  readonly act?: ClickAct
}

export type ClickAct = (event: Event, made: HTMLElement) => void

export function element(
  name: string,
  attributes: Readonly<Record<string, string>> = {},
  content: readonly PageNode[] = [],
): PageElement {
  return { name, attributes, content }
}

export function button(
  text: string,
  act: ClickAct,
  attributes: Readonly<Record<string, string>> = {},
): PageElement {
  return { ...element('button', { type: 'button', ...attributes }, [text]), act }
}

export function copyButton(text: string, words: RendererWords): PageElement {
  const copy: ClickAct = (_, made) =>
    void navigator.clipboard.writeText(text).then(() => {
      made.textContent = words.copied
      setTimeout(() => {
        made.textContent = words.copy
      }, 1500)
    })
  return button(words.copy, copy, { class: 'copy', 'aria-label': words.copy })
}

/** The node of an element. Texts become text nodes, so nothing in them is HTML. */
export function build({ name, attributes, content, act }: PageElement): HTMLElement {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...content.map((each) => (typeof each === 'string' ? each : build(each))))
  if (act) listen(made, 'click', (event) => act(event, made))
  return made
}
