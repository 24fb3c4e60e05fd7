import { basename } from 'node:path/posix'
import { foldCase } from '../workspace/fold-case.js'

// These files take effect in later sessions, or for other programs: agents read the first ones as instructions, git
// obeys the others. People change them often, so a rule may cover them, but only one that names them. `Edit(**)` was
// written with code in mind.
const steeringNames: ReadonlySet<string> = new Set(
  [
    'agents.md agents.override.md code_law.md claude.md claude.local.md gemini.md qwen.md copilot-instructions.md',
    '.cursorrules .windsurfrules .clinerules .goosehints .gitmodules .gitattributes',
  ].flatMap((names) => names.split(' ')),
)

/** True for a file that guides later sessions, in any folder. */
export function isSteering(path: string): boolean {
  return steeringNames.has(foldCase(basename(path)))
}
