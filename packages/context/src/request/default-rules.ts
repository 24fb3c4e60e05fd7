import defaultRule from '../prompts/rules/default.md'

/** The rules that `initializeRules` puts into a workspace, by file name. */
export const defaultRules: Readonly<Record<string, string>> = { 'default.md': defaultRule }
