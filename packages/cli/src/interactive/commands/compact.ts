import type { SessionCompaction } from '@mutsumi/agent'
import type { KeptRounds } from '@mutsumi/context'
import { roundsOrTokens } from '@mutsumi/host'
import type { AgentEvent } from '@mutsumi/schema'
import { failureText } from '../../terminal/failure.js'
import type { CompactionDesk } from '../agent/compaction-desk.js'
import { roomText } from '../cards/status-line.js'
import { sentence, tableLines } from '../text/text-lines.js'
import type { CommandWorld, SlashCommand } from './command.js'

/**
 * `/compact [--keep 20k] [instructions]`: shows the plan and its savings, asks, and compacts. `/compact undo` takes it
 * back.
 */
export const compact: SlashCommand = { name: 'compact', about: ({ about }) => about.compact, run }

async function run(world: CommandWorld, argument: string): Promise<void> {
  const { compaction } = await world.agent()
  if (argument === 'undo') return undo(world, compaction)
  const { words, during } = world
  const asked = readArgument(argument)
  if ('problem' in asked) return world.print(sentence(asked.problem, world.width))
  const { keep, instructions } = asked
  if (!(await isWanted(world, compaction, keep))) return
  const end = await during(words.compact.working, (signal) =>
    followed(compaction.compact({ instructions, keep, signal }), (event) => tell(world, event)),
  )
  const said = { made: words.compact.undo, none: words.compact.nothing, cancelled: words.compact.cancelled }
  world.print(sentence(said[end.kind], world.width))
  world.print(sentence(roomText(await world.room(), words), world.width))
}

type CompactArgument =
  | { readonly keep?: KeptRounds; readonly instructions: string }
  | { readonly problem: string }

function readArgument(argument: string): CompactArgument {
  const [flag, , amount = '', instructions = ''] = /^--keep(=|\s+|$)(\S*)\s*(.*)$/s.exec(argument) ?? []
  if (flag === undefined) return { instructions: argument }
  try {
    return { keep: roundsOrTokens(amount), instructions }
  } catch (error) {
    return { problem: `--keep: ${failureText(error)}` }
  }
}

/** Shows the plan, and asks. */
async function isWanted(
  { words, ask, print, width, agent }: CommandWorld,
  desk: CompactionDesk,
  keep: KeptRounds | undefined,
): Promise<boolean> {
  const planned = await desk.plan(keep)
  const outcome = desk.outcomeOf(planned)
  if (!outcome || planned.plan.kind === 'too-large') {
    print(sentence(planned.plan.kind === 'too-large' ? planned.plan.message : words.compact.nothing, width))
    return false
  }
  const { drawCompaction } = await import('../../drawing/draw-compaction.js')
  const { model, sessions } = await agent()
  const title = sessions.title ?? words.compact.thisSession
  print(tableLines(drawCompaction(outcome, { file: title, settings: { ...desk.settings, ...keep } })))
  if (planned.plan.kind !== 'plan') return false
  const answer = await ask.choose({
    title: words.compact.sure(desk.settings.summary.model || model),
    choices: [
      { value: true, label: words.compact.yes },
      { value: false, label: words.compact.no },
    ],
    isNumbered: true,
  })
  return answer === true
}

async function followed(
  work: AsyncGenerator<AgentEvent, SessionCompaction>,
  hear: (event: AgentEvent) => void,
): Promise<SessionCompaction> {
  for (;;) {
    const { done, value } = await work.next()
    if (done) return value
    hear(value)
  }
}

function tell({ words, print, width }: CommandWorld, event: AgentEvent): void {
  if (event.type !== 'compaction-end') return
  const { before, after, loss, problem } = event
  const lines = [words.work.compactionEnd(before, after), ...(problem ? [problem] : []), ...loss]
  print(lines.flatMap((line, index) => sentence(index === 0 ? line : `  ${line}`, width)))
}

async function undo({ words, print, width, room }: CommandWorld, desk: CompactionDesk): Promise<void> {
  const isDone = await desk.undo()
  print(sentence(isDone ? words.compact.undone : words.compact.noneToUndo, width))
  if (isDone) print(sentence(roomText(await room(), words), width))
}
