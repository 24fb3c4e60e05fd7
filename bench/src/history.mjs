// The cost of a long history: planning, showing it, and adding one round to it.
import { defaultSettings, HistoryManager } from '@mutsumi/context'
import { compare, growth } from './measure.mjs'
import { milliseconds, row } from './report.mjs'

/** Nothing is cleaned, because that would leave a view of few messages, like a compaction. */
const settings = {
  ...defaultSettings,
  contextWindow: 50_000,
  history: { ...defaultSettings.history, cleanAbove: 0 },
}

/** A round with a Read and a command, of the size that such results have once they are cut. */
function roundOf(index) {
  // Few enough for both sizes to have read almost all of them before: ten times the rounds make ten times the stubs.
  const path = `src/file-${index % 20}.ts`
  const lines = Array.from({ length: 40 }, (_, line) => `${line + 1}: const value${line} = ${index}`).join(
    '\n',
  )
  return {
    content: `question ${index}: what does ${path} do?`,
    metadata: {
      mutsumi_interaction: [
        step(`r${index}`, 'Read', { path }),
        result(`r${index}`, 'Read', { path, content: lines, file_mtime_ms: index }),
        step(`b${index}`, 'Bash', { command: 'npm test' }),
        result(`b${index}`, 'Bash', { command: 'npm test', exit_code: 0, output: 'ok\n'.repeat(20) }),
        { role: 'assistant', content: `It holds forty constants, ${index} each.`, metadata: { final: true } },
      ],
    },
  }
}

function step(id, name, args) {
  return { role: 'assistant', content: `Thought: look at it`, metadata: { calls: [{ id, name, args }] } }
}

function result(id, tool_name, data) {
  const content = JSON.stringify({ status: 'success', data })
  return { role: 'tool', content, metadata: { call_id: id, tool_name, observation: `o-${id}` } }
}

const cellsOf = (count) => Array.from({ length: count }, (_, index) => roundOf(index))

export async function benchHistory() {
  const cells = { hundred: cellsOf(100), thousand: cellsOf(1000), tenThousand: cellsOf(10_000) }
  const show = (some) => new HistoryManager({ cells: some }, { settings }).view()
  const planAndShow = (some) => {
    const history = new HistoryManager({ cells: some }, { settings })
    const plan = history.plan()
    history.compact(plan, { id: 'c', summary: 'short' })
    return history.view()
  }
  const planning = await growth(
    () => planAndShow(cells.thousand),
    () => planAndShow(cells.tenThousand),
    { runs: 7 },
  )
  const shown = show(cells.thousand).toArray()
  const bare = await compare({
    show: () => show(cells.thousand).toArray(),
    json: () => JSON.stringify(shown),
  })
  const one = await oneMoreRound(cells)
  return [
    row(
      'plan and show 10 000 rounds against 1 000',
      planning.ratio,
      { atMost: 12 },
      milliseconds(planning.one, planning.ten),
    ),
    row(
      'build and show 1 000 rounds',
      bare.show,
      { atMost: 17, unit: ' ms' },
      `JSON.stringify of it ${milliseconds(bare.json)}`,
    ),
    row(
      'one more round behind 10 000 against behind 100',
      one.ratio,
      { atMost: 2 },
      milliseconds(one.few, one.many),
    ),
  ]
}

/** Histories that grow by one round for each sample, as a session does. */
async function oneMoreRound({ hundred, tenThousand }) {
  const few = new HistoryManager({ cells: hundred }, { settings })
  const many = new HistoryManager({ cells: tenThousand }, { settings })
  let next = 20_000
  const add = (history) => () => {
    const { content, metadata } = roundOf(next++)
    // Two minutes between two rounds: the prompt cache stays warm, as in a session that somebody works in.
    const at = new Date(next * 120_000).toISOString()
    history.appendUser(content, { at })
    for (const message of metadata.mutsumi_interaction) {
      if (message.role === 'tool')
        history.appendToolResult(message.metadata.tool_name, JSON.parse(message.content), {
          at,
          callId: message.metadata.call_id,
        })
      else history.appendAssistant(message.content, { at, calls: message.metadata.calls ?? [] })
    }
    history.appendFinal('done', { at })
    return history.view()
  }
  const times = await compare({ few: add(few), many: add(many) }, { runs: 40 })
  return { ...times, ratio: times.many / times.few }
}
