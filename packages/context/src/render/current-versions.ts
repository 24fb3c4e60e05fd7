export interface VersionList {
  readonly rules: Readonly<Record<string, number>>
  readonly files: Readonly<Record<string, number>>
  readonly tools: Readonly<Record<string, number>>
}

/** Versioned placement: which version of each entry holds, or that the list before still stands. */
export type CurrentVersions = 'unchanged' | VersionList
