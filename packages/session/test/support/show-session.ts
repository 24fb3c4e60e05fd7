import type { AgentMessage, FileChange, SessionCell } from '@mutsumi/schema'
import { type DecodedSession, SessionFold } from '@mutsumi/session'

/** A session as a person would tell it: one line for each thing. */
export function showSession(decoded: DecodedSession): string {
  const fold = new SessionFold(decoded.header)
  for (const record of decoded.records) fold.add(record)
  const { session, facts } = fold
  const lines = [
    `metadata ${JSON.stringify(session.metadata)}`,
    ...session.cells.flatMap(showCell),
    ...(session.acts ?? []).map((act) => `act ${JSON.stringify(act)}`),
    ...(session.compactions ?? []).map((compaction) => `compaction ${JSON.stringify(compaction)}`),
    ...facts.unanswered.map(({ cell, call }) => `unanswered ${cell} ${call.id} ${call.name}`),
    ...[...facts.ends.values()].map(({ cell, status, message }) => `ended ${cell} ${status}: ${message}`),
    ...facts.requests.map(({ id, cell }) => `request ${id} of ${cell}, ${showUsage(facts.usage.get(id))}`),
    ...[...facts.snapshots.values()].map(({ hash, size }) => `snapshot ${hash}, ${size} bytes`),
    ...facts.changes.map(({ cell, tool, files }) => `changed by ${tool} in ${cell}: ${showFiles(files)}`),
    ...facts.undone.map(({ cells, files }) => `undone ${cells.join(', ')}: ${showFiles(files)}`),
    ...facts.lostCells.map((id) => `lost cell ${id}`),
    ...decoded.unknown.map(({ number, line }) => `unknown line ${number}: ${line}`),
    ...decoded.damage.map(({ line, reason }) => `damaged line ${line}: ${reason}`),
    ...(decoded.torn ? [`torn line ${decoded.torn.line}: ${decoded.torn.reason}`] : []),
    `last at ${facts.lastAt}`,
  ]
  return `${lines.join('\n')}\n`
}

function showFiles(files: readonly FileChange[]): string {
  return files
    .map(({ path, before, after }) => `${path} ${before?.hash ?? 'none'} → ${after?.hash ?? 'none'}`)
    .join(', ')
}

function showCell({ content, metadata }: SessionCell): readonly string[] {
  const { id, role, at, mutsumi_interaction: messages = [] } = metadata ?? {}
  return [`${at} ${role} ${id}: ${content}`, ...messages.map(showMessage)]
}

function showMessage({ role, content, metadata }: AgentMessage): string {
  return `  ${role} ${JSON.stringify(content)} ${JSON.stringify(metadata)}`
}

function showUsage(usage: { readonly input: number; readonly output: number } | undefined): string {
  return usage ? `${usage.input} tokens in, ${usage.output} out` : 'tokens unknown'
}
