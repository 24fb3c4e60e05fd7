type Texts = Readonly<Record<string, string>>

/** The values for `${NAME}`; undefined for a file that has no access to the user's environment. */
export type Variables = Readonly<Record<string, string | undefined>> | undefined

export type Expansion =
  | { readonly values: Texts }
  /** The name of the text that could not be expanded, and why. */
  | { readonly name: string; readonly problem: string }

/** Replaces `${NAME}` with the environment's values, so that files need not contain keys. */
export function expandVariables(texts: Texts, variables: Variables): Expansion {
  for (const [name, text] of Object.entries(texts)) {
    const problem = problemOf(text, variables)
    if (problem !== undefined) return { name, problem }
  }
  const expand = (text: string) =>
    text.replace(reference, (_, variable: string) => variables?.[variable] ?? '')
  return { values: Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, expand(text)])) }
}

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

function problemOf(text: string, variables: Variables): string | undefined {
  const names = [...text.matchAll(reference)].map(([, name = '']) => name)
  const [first] = names
  if (first === undefined) return undefined
  if (variables === undefined)
    return `\${${first}} cannot be used here: a workspace's file has no access to your environment. Put the server into your own config`
  const missing = names.find((name) => variables[name] === undefined)
  return missing === undefined ? undefined : `the environment variable ${missing} is not set`
}
