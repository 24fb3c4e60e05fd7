import type { ServerFinding } from '@mutsumi/host'
import { safeLine } from '@mutsumi/schema'
import { type Column, drawTable } from '../terminal/columns.js'
import { sayWord } from '../words/say.js'

const columns: readonly Column[] = [
  { title: 'server' },
  { title: 'state' },
  { title: 'from' },
  { title: 'tools' },
]

/** MCP servers with their tools, or why there are none. */
export function drawServers(servers: readonly ServerFinding[]): string {
  const rows = servers.map((server) => {
    const { name, state, origin, tools, reason, warnings } = server
    const what = state === 'ready' ? [toolsText(tools), ...warnings] : [reason]
    return [
      safeLine(name),
      sayWord(state),
      sayWord(origin),
      safeLine(what.filter((text) => text !== '').join('; ')),
    ]
  })
  return drawTable(columns, rows)
}

/** Listed by the server's own names; rules use mcp__server__tool. */
function toolsText(tools: readonly string[]): string {
  const names = tools.map((name) => name.replace(/^mcp__(?:(?!__).)+__/, ''))
  return names.length === 0 ? sayWord('none') : names.join(', ')
}
