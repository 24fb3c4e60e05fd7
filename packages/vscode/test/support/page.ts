import { vi } from 'vitest'

/** The few parts of a page that drawing a round uses. */
export class FakeElement extends EventTarget {
  readonly attributes = new Map<string, string>()
  childNodes: (FakeElement | string)[] = []
  parent: FakeElement | undefined

  constructor(readonly name: string) {
    super()
  }

  get children(): FakeElement[] {
    return this.childNodes.filter((each) => typeof each !== 'string')
  }

  get lastElementChild(): FakeElement | undefined {
    return this.children.at(-1)
  }

  get className(): string {
    return this.attributes.get('class') ?? ''
  }

  set className(value: string) {
    this.attributes.set('class', value)
  }

  get textContent(): string {
    return this.childNodes.map((each) => (typeof each === 'string' ? each : each.textContent)).join('')
  }

  set textContent(text: string) {
    this.replaceChildren(text)
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value)
  }

  append(...nodes: readonly (FakeElement | string)[]): void {
    for (const node of nodes) {
      if (typeof node !== 'string') {
        node.remove()
        node.parent = this
      }
      this.childNodes.push(node)
    }
  }

  replaceChildren(...nodes: readonly (FakeElement | string)[]): void {
    for (const child of this.children) child.parent = undefined
    this.childNodes = []
    this.append(...nodes)
  }

  replaceWith(node: FakeElement): void {
    const { parent } = this
    node.remove()
    parent?.childNodes.splice(parent.childNodes.indexOf(this), 1, node)
    node.parent = parent
    this.parent = undefined
  }

  remove(): void {
    this.parent?.childNodes.splice(this.parent.childNodes.indexOf(this), 1)
    this.parent = undefined
  }

  /** `.class` or a name. */
  querySelectorAll(selector: string): FakeElement[] {
    return this.children.flatMap((child) => [
      ...(child.matches(selector) ? [child] : []),
      ...child.querySelectorAll(selector),
    ])
  }

  querySelector(selector: string): FakeElement | null {
    return this.querySelectorAll(selector)[0] ?? null
  }

  matches(selector: string): boolean {
    return selector.startsWith('.')
      ? this.className.split(' ').includes(selector.slice(1))
      : this.name === selector
  }

  /** Whether it is still in the page, so that it keeps the focus. */
  isIn(root: FakeElement): boolean {
    return this === root || this.parent?.isIn(root) === true
  }
}

/** A page for the code under test. Returns an element of it. */
export function fakePage(): FakeElement {
  vi.stubGlobal('document', { createElement: (name: string) => new FakeElement(name) })
  return new FakeElement('main')
}
