/** The variables of an environment, passed in by the caller. */
export type Environment = Readonly<Record<string, string | undefined>>
