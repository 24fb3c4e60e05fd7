import type { ToolDescription } from './define-tool.js'

// The words that the model reads about the built-in tools. They stand apart from the code behind them,
// so that a request can be built without loading it.

export const lsDescription: ToolDescription = {
  name: 'LS',
  effect: 'read',
  prompt: `LS: lists one folder, folders first.
{"path": "." (a folder; default: the workspace), "offset": 0, "limit": 100 (at most 200), "include_hidden": false, "ignore": ["*.log"] (names to leave out, as in .gitignore)}`,
}

export const readDescription: ToolDescription = {
  name: 'Read',
  effect: 'read',
  prompt: `Read: reads a text file; each line comes after its number and a tab.
{"path": "src/main.ts", "start_line": 1, "limit": 500 (at most 2000)}
When the result says it is truncated, go on from the line that it names.`,
}
