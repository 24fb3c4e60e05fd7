import { eachReference, parseReference, type Reference } from '@mutsumi/context/parts'

/** `@[…]` in a text: all of it from `from` to `to`. */
export interface ReferencePlace {
  readonly from: number
  readonly to: number
  readonly content: string
  readonly reference: Reference
}

export function referencePlaces(text: string): readonly ReferencePlace[] {
  return [...eachReference(text)].map(({ start, end, content }) => ({
    ...{ from: start, to: end, content },
    reference: parseReference(content),
  }))
}

export function referenceAt(text: string, offset: number): ReferencePlace | undefined {
  return referencePlaces(text).find(({ from, to }) => from <= offset && offset <= to)
}
