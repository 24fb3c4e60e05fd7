/** One input from the keyboard. */
export type Input =
  /** Characters to insert: one, or all that an input method sent at once. */
  | { readonly kind: 'text'; readonly text: string }
  /** `enter`, `ctrl+a`, `alt+shift+b`, `shift+enter`: modifiers in the order ctrl, alt, shift. */
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'paste'; readonly text: string }

export interface Modifiers {
  readonly ctrl?: boolean
  readonly alt?: boolean
  readonly shift?: boolean
  /** Command, Windows or Hyper, which belong to the terminal. */
  readonly other?: boolean
}

/** A key by its name; a character without ctrl and alt is text. */
export function keyOf(name: string, { ctrl, alt, shift, other }: Modifiers = {}): Input {
  const held = [ctrl && 'ctrl', alt && 'alt', shift && 'shift', other && 'super'].filter(Boolean)
  return { kind: 'key', name: [...held, name].join('+') }
}

/** A character with modifiers: `B` is `shift+b`, but `<` is itself on every keyboard. */
export function characterKey(character: string, modifiers: Modifiers): Input {
  if (character === ' ') return keyOf('space', modifiers)
  const lower = character.toLowerCase()
  if (lower !== character) return keyOf(lower, { ...modifiers, shift: true })
  const isLetter = character.toUpperCase() !== character
  return keyOf(character, { ...modifiers, shift: isLetter && (modifiers.shift ?? false) })
}
