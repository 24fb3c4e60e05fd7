import { listen } from './person-events.js'
import type { RendererWords } from './words.js'

export function element(
  name: string,
  attributes: Readonly<Record<string, string>> = {},
  content: readonly (Node | string)[] = [],
): HTMLElement {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...content)
  return made
}

export function button(
  text: string,
  act: (event: Event) => void,
  attributes: Readonly<Record<string, string>> = {},
) {
  const made = element('button', { type: 'button', ...attributes }, [text])
  listen(made, 'click', act)
  return made
}

export function copyButton(text: string, words: RendererWords): HTMLElement {
  const made = button(
    words.copy,
    () => {
      void navigator.clipboard.writeText(text).then(() => {
        made.textContent = words.copied
        setTimeout(() => {
          made.textContent = words.copy
        }, 1500)
      })
    },
    { class: 'copy', 'aria-label': words.copy },
  )
  return made
}
