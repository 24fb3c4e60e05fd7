import { buildInteractionHistory, ContextEngine, defaultSettings } from '@mutsumi/context'
import { hashText, Workspace } from '@mutsumi/tools'
import { median, time } from './measure.mjs'
import { milliseconds, row } from './report.mjs'
import { withFiles } from './workspace.mjs'

/** The cost of the next round, early and late in a session with fifty referenced files. */
export function benchRounds() {
  return withFiles(50, 20 * 1024, async (root, names) => {
    const early = []
    const late = []
    for (let run = -10; run < 61; run++) {
      const times = [await nextRound(root, names, 10), await nextRound(root, names, 1000)]
      if (run >= 0) for (const [index, list] of [early, late].entries()) list.push(times[index])
    }
    const next = { early: median(early), late: median(late) }
    const firsts = []
    const unchanged = []
    for (let run = 0; run < 15; run++) {
      const engine = newEngine(root)
      const session = { metadata: {}, cells: rounds(names, 10) }
      const build = () => engine.assemble(session, 10, 'and now?')
      firsts.push(await time(build))
      const again = []
      for (let repeat = 0; repeat < 9; repeat++) again.push(await time(build))
      unchanged.push(median(again))
    }
    const [first, same] = [median(firsts), median(unchanged)]
    return [
      row(
        'round N+1 with 50 files: N = 1 000 against N = 10',
        next.late / next.early,
        { atMost: 1.3 },
        milliseconds(next.early, next.late),
      ),
      row(
        'unchanged build against the first',
        (100 * same) / first,
        { atMost: 5, unit: ' %' },
        milliseconds(first, same),
      ),
    ]
  })
}

/** A window that fits everything, so that no item is left out. */
const settings = { ...defaultSettings, contextWindow: 100_000_000 }

function newEngine(root) {
  return new ContextEngine({ reader: new Workspace({ root }), hash: hashText }, { settings })
}

/** Builds a session of `count` rounds once, then measures the next three rounds and returns the time of one. */
async function nextRound(root, names, count) {
  const engine = newEngine(root)
  const session = { metadata: {}, cells: rounds(names, count) }
  const build = () => buildInteractionHistory(session, session.cells.length, 'and now?', engine)
  await build()
  const rest = 3
  const elapsed = await time(async () => {
    for (let round = 0; round < rest; round++) {
      session.cells.push(cell('go on', session.cells.length))
      await build()
    }
  })
  return elapsed / rest
}

/** The first ten rounds mention the files. The others are only talk. */
function rounds(names, count) {
  return Array.from({ length: count }, (_, index) => {
    const mentioned = index < 10 ? names.slice(index * 5, index * 5 + 5).map((name) => `@[${name}]`) : []
    return cell(`question ${index} ${mentioned.join(' ')}`, index)
  })
}

function cell(content, index) {
  return { content, metadata: { mutsumi_interaction: [{ role: 'assistant', content: `answer ${index}` }] } }
}
