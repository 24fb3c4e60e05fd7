/** The variables of an environment. Whoever asks for a model hands them in. */
export type Environment = Readonly<Record<string, string | undefined>>
