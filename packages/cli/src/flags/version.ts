// Inserted by the build, so that the bundle need not search for its package.
declare const MUTSUMI_VERSION: string

export const version = MUTSUMI_VERSION
