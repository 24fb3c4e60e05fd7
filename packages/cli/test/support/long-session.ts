import type { Compaction, Session, SessionCell } from '@mutsumi/schema'

/** A session in which every round reads the same file; each also runs a command and changes another file. */
export function longSession(rounds: number, compactions?: readonly Compaction[]): Session {
  return {
    metadata: {},
    cells: Array.from({ length: rounds }, (_, index) => workedRound(index + 1)),
    ...(compactions ? { compactions } : {}),
  }
}

function workedRound(number: number): SessionCell {
  const lines = Array.from({ length: 60 }, (_, line) => `${line + 1}\tline ${line + 1} in round ${number}`)
  return {
    content: `Question ${number}`,
    metadata: {
      at: `2026-11-15T09:${String(number).padStart(2, '0')}:00.000Z`,
      mutsumi_interaction: [
        ...called(
          'Read',
          { path: 'src/auth.ts' },
          { path: 'src/auth.ts', content: lines.join('\n') },
          number,
        ),
        ...called('Bash', { command: 'npm test' }, { command: 'npm test', exit_code: 0 }, number),
        ...called('Edit', { path: 'src/a.ts' }, { path: 'src/a.ts', applied: true }, number),
        {
          role: 'assistant',
          content: `Answer ${number}. ${'More of it. '.repeat(20)}`,
          metadata: { final: true },
        },
      ],
    },
  }
}

function called(name: string, args: object, data: object, round: number) {
  const id = `${name}-${round}`
  return [
    { role: 'assistant', content: `Thought: ${name}.`, metadata: { calls: [{ id, name, args }] } },
    {
      role: 'tool',
      content: JSON.stringify({ status: 'success', data }),
      metadata: { tool_name: name, call_id: id, observation: `obs-${id}` },
    },
  ] as const
}
