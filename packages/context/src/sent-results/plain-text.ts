import type { Json } from '@mutsumi/schema'
import { saying } from './header-fields.js'
import { gap } from './own-lines.js'
import type { BodyPart, TextRule } from './text-rule.js'

/** One field is the body. The fields in `called` are known from the call. Everything else is in the header. */
export function plainTextRule(name: string, called: readonly string[]): TextRule {
  return (data) => {
    const { [name]: content, head, tail, characters, ...others } = data
    const said = Object.fromEntries(Object.entries(others).filter(([key]) => !called.includes(key)))
    const isWhole = typeof content === 'string'
    return {
      header: saying(said),
      body: isWhole ? [{ text: content }] : endBlocks({ head, tail, characters }),
    }
  }
}

/** The part of a long text that history kept: its beginning, how much is missing, its end. */
function endBlocks({
  head,
  tail,
  characters,
}: Readonly<Record<string, Json | undefined>>): readonly BodyPart[] {
  if (typeof head !== 'string' || typeof tail !== 'string') return []
  const missing = typeof characters === 'number' ? characters - head.length - tail.length : 0
  return [{ text: head }, gap(`${missing} characters`), { text: tail }]
}
