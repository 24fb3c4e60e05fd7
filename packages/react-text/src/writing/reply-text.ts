import type { JsonObject } from '@mutsumi/schema'

/** The line that calls a tool. */
export function actionText({ name, args }: { readonly name: string; readonly args: JsonObject }): string {
  return `Action: ${name}[${JSON.stringify(args)}]`
}

/** The text of an answer. Quoted code may contain unmatched brackets; then only the form without brackets is safe. */
export function finishText(answer: string): string {
  return isBalanced(answer) ? `Action: Finish[${answer}]` : `Final Answer: ${answer}`
}

function isBalanced(text: string): boolean {
  let depth = 0
  for (const bracket of text.match(/[[\]]/g) ?? []) {
    depth += bracket === '[' ? 1 : -1
    if (depth < 0) return false
  }
  return depth === 0
}
