import type { ActivationFunction } from 'vscode-notebook-renderer'
import type { RoundOutput } from '../notebook/round-output.js'
import { element } from './elements.js'
import { RoundPage } from './round-page.js'
import { style } from './style.js'
import { wordsFor } from './words.js'

/** Shows the rounds of a notebook. */
export const activate: ActivationFunction = ({ postMessage }) => {
  document.head.append(element('style', {}, [style]))
  const views = new WeakMap<HTMLElement, RoundPage>()
  return {
    renderOutputItem(item, target) {
      const round = item.json() as RoundOutput
      const words = wordsFor((item.metadata as { readonly language?: unknown } | undefined)?.language)
      const view = views.get(target) ?? newView(target)
      views.set(target, view)
      view.update(round, { words, cell: round.cell, post: postMessage })
    },
    disposeOutputItem() {
      // A view goes with its element.
    },
  }
}

function newView(target: HTMLElement): RoundPage {
  const root = element('div', { class: 'mutsumi' })
  target.replaceChildren(root)
  return new RoundPage(root)
}
