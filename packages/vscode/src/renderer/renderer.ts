import type { ActivationFunction } from 'vscode-notebook-renderer'
import type { RoundOutput } from '../notebook/round-output.js'
import { build, element } from './elements.js'
import type { FilePlace } from './file-links.js'
import { listen } from './person-events.js'
import { RoundPage } from './round-page.js'
import { style } from './style.js'
import type { CardTools } from './tool-card.js'
import { wordsFor } from './words.js'

/** Shows the rounds of a notebook. */
export const activate: ActivationFunction = ({ postMessage }) => {
  document.head.append(build(element('style', {}, [style])))
  const post = postMessage as CardTools['post']
  /** Rounds that were seen running. Their last change of size comes after their end. */
  const began = new WeakSet<Element>()
  const sizes = new ResizeObserver((entries) => {
    if (entries.some(({ target }) => began.has(target))) post?.({ type: 'grew' })
  })
  /** A key answers a question only while its buttons are in view. */
  const inView = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting: seen } of entries)
        post?.({ type: 'seen', question: target.getAttribute('data-question') ?? '', seen })
    },
    { threshold: 0.9 },
  )
  listen(window, 'wheel', (event) => {
    const { deltaY = 0 } = event as WheelEvent
    if (deltaY !== 0) post?.({ type: 'scrolled', direction: deltaY < 0 ? 'up' : 'down' })
  })
  const views = new WeakMap<HTMLElement, RoundPage>()
  return {
    renderOutputItem(item, target) {
      const round = item.json() as RoundOutput
      const words = wordsFor((item.metadata as { readonly language?: unknown } | undefined)?.language)
      const view = views.get(target) ?? newView(target)
      if (round.state === 'running') began.add(target)
      sizes.observe(target)
      views.set(target, view)
      const openFile = post && ((place: FilePlace) => post({ type: 'open', ...place }))
      view.update(round, { words, cell: round.cell, post, openFile })
      for (const answers of target.querySelectorAll('[data-question]')) inView.observe(answers)
    },
    disposeOutputItem() {
      // A view goes with its element, and so does the observation of its size.
    },
  }
}

function newView(target: HTMLElement): RoundPage {
  const root = build(element('div', { class: 'mutsumi' }))
  target.replaceChildren(root)
  return new RoundPage(root)
}
