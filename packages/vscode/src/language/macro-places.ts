/** A name of a macro in a text. */
export interface MacroPlace {
  readonly name: string
  readonly from: number
  readonly to: number
  /** The macro is defined here. */
  readonly isDefinition: boolean
}

const patterns: readonly { readonly pattern: RegExp; readonly defines?: true }[] = [
  { pattern: /\{\{[ \t]*([A-Za-z_]\w{0,200})[ \t]*\}\}/dg },
  { pattern: /^[ \t]*#define[ \t]+([A-Za-z_]\w{0,200})/dgm, defines: true },
  { pattern: /@\{[ \t]*define[ \t]+([A-Za-z_]\w{0,200})/dg, defines: true },
  { pattern: /@\{[ \t]*(?:undef|ifdef|ifndef|if|elif)[ \t]+([A-Za-z_]\w{0,200})/dg },
  { pattern: /@\{[ \t]*(?:if|elif)[ \t]+\w{1,200}[ \t]+[A-Z_]{2,20}[ \t]+([A-Za-z_]\w{0,200})[ \t]*\}/dg },
]

/** Every place of a text that names a macro, in order. */
export function macroPlaces(text: string): readonly MacroPlace[] {
  const found = patterns.flatMap(({ pattern, defines = false }) =>
    [...text.matchAll(pattern)].flatMap(({ indices }) => {
      const [from, to] = indices?.[1] ?? []
      return from === undefined || to === undefined
        ? []
        : [{ name: text.slice(from, to), from, to, isDefinition: defines }]
    }),
  )
  return found.sort((one, other) => one.from - other.from)
}

/** The macro whose name is at a place. */
export function macroAt(text: string, offset: number): MacroPlace | undefined {
  return macroPlaces(text).find(({ from, to }) => from <= offset && offset <= to)
}
