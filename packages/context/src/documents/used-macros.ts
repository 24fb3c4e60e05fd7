/** A macro that a document uses, and the offset of its first use. */
export interface UsedMacro {
  readonly name: string
  readonly at: number
  /** Only a condition asks for it, so it need not be defined. */
  readonly isAsked: boolean
}

/*
 *     {{NAME}}    @{if NAME IS "x"}    @{ifdef NAME}
 */
const uses = /\{\{[ \t]*(?<used>[A-Za-z_]\w*)[ \t]*\}\}|@\{(?:el)?if(?:n?def)?[ \t]+(?<asked>[A-Za-z_]\w*)/g
const definitions = /@\{define[ \t]+([A-Za-z_]\w*)/g

/** The macros that a document uses, in order, each once. Those that it defines itself do not come from outside. */
export function usedMacros(text: string): readonly UsedMacro[] {
  if (!text.includes('{')) return []
  const own = new Set(Array.from(text.matchAll(definitions), ([, name]) => name))
  const found = new Map<string, UsedMacro>()
  for (const { groups, index } of text.matchAll(uses)) {
    const name = groups?.used ?? groups?.asked ?? ''
    const isAsked = groups?.used === undefined
    const known = found.get(name)
    if (!own.has(name) && (!known || (known.isAsked && !isAsked)))
      found.set(name, { name, at: index, isAsked })
  }
  return [...found.values()]
}
