import { type Draft, type EditState, moved } from './edit-state.js'
import { replaced } from './edits.js'

export interface CompletionItem {
  /** The text that is inserted. */
  readonly text: string
  /** Shown in the list. By default, the text. */
  readonly label?: string
  readonly detail?: string
  /** The place in the text where the cursor goes. By default, its end. */
  readonly cursor?: number
}

/** Possible replacements for a part of the text. */
export interface Completion {
  readonly from: number
  readonly to: number
  readonly items: readonly CompletionItem[]
  /** More items may come. The editor is refreshed then. */
  readonly isPending?: boolean
}

/** Called after each change. It returns at once, so anything slow is looked up beforehand. */
export type Completer = (draft: Draft) => Completion | undefined

/** A completion that is shown, and which of its items is chosen. */
export interface Popup extends Completion {
  readonly chosen: number
}

/** The popup for a text. The item that was chosen stays chosen if it is still there. */
export function popupFor(draft: Draft, complete: Completer, before: Popup | undefined): Popup | undefined {
  const completion = complete(draft)
  if (!completion || (completion.items.length === 0 && !completion.isPending)) return undefined
  const kept = before?.items[before.chosen]?.text
  const chosen = Math.max(
    0,
    completion.items.findIndex(({ text }) => text === kept),
  )
  return { ...completion, chosen }
}

export function chooseNext(popup: Popup, step: number): Popup {
  const { length } = popup.items
  if (length === 0) return popup
  return { ...popup, chosen: (popup.chosen + step + length) % length }
}

/** The text after the chosen item was inserted. */
export function accepted(edit: EditState, { from, to, items, chosen }: Popup): EditState {
  const { text, cursor = text.length } = items[chosen] ?? { text: '' }
  return moved(replaced(edit, { from, to, text }), from + cursor)
}

/** Whether accepting would change nothing: all of it is typed already. */
export function isTyped({ text }: Draft, { from, to, items, chosen }: Popup): boolean {
  return text.slice(from, to) === items[chosen]?.text.trimEnd()
}
