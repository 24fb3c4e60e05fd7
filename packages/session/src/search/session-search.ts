import {
  type CellRecord,
  type EditRecord,
  isJsonObject,
  type Json,
  type ResultRecord,
  type SessionRecord,
  type StepRecord,
} from '@mutsumi/schema'
import { parseJson } from '../codec/parse-json.js'
import { cellsOf } from '../fold/cell-list.js'
import { roundCells } from '../fold/round-cells.js'
import type { MatchedLine, TextQuery } from './text-query.js'

/** A line of a session that matches the search. */
export interface SessionMatch extends MatchedLine {
  /** The round that it belongs to, from 1; absent for a title. */
  readonly round?: number
  readonly place: 'title' | 'question' | 'answer' | 'call' | 'result'
  /** The tool that was called or that returned the result. */
  readonly tool?: string
}

/** The words of a step for people. The host knows the protocol. */
export type WordsOfStep = (step: StepRecord) => string

export interface SessionMatches {
  /** Round by round, up to the requested number. */
  readonly matches: readonly SessionMatch[]
  /** The total number of matching lines. */
  readonly total: number
}

type Saying = StepRecord | ResultRecord
type SaidMatch = Omit<SessionMatch, 'round'>

/**
 * Searches the current content of a session: cells after their edits, answers, arguments of calls, and results as
 * history keeps them. Records are processed one after the other, and only matches are kept in memory.
 */
export class SessionSearch {
  readonly #query: TextQuery
  readonly #wordsOf: WordsOfStep
  readonly #cells: (CellRecord | EditRecord)[] = []
  readonly #said = new Map<string, SaidMatch[]>()

  constructor(query: TextQuery, wordsOf: WordsOfStep = ({ content }) => content) {
    this.#query = query
    this.#wordsOf = wordsOf
  }

  /** Whether a line of the file must be passed to `take`. Cells always are, because they count the rounds. */
  needs(line: string): boolean {
    const type = typeOfLine.exec(line)?.[1]
    // Another program may have put other keys first.
    if (type === undefined || type === 'cell' || type === 'edit') return true
    if (type !== 'step' && type !== 'result') return false
    return this.#query.mayBeIn(line) || line.includes('"stored":')
  }

  /** Processes a complete record, with the texts that are stored beside the file. */
  take(record: SessionRecord): void {
    if (record.type === 'cell' || record.type === 'edit') this.#cells.push(record)
    else if (record.type === 'step') this.#hear(record, this.#inStep(record))
    else if (record.type === 'result') this.#hear(record, this.#inResult(record))
  }

  end(atMost: number): SessionMatches {
    const matches: SessionMatch[] = []
    let total = 0
    for (const [index, cells] of roundCells(cellsOf(this.#cells)).entries())
      for (const { content, metadata } of cells) {
        const asked = [...this.#query.linesIn(content)].map(
          (line) => ({ ...line, place: 'question' }) as const,
        )
        const found = [...asked, ...(this.#said.get(metadata?.id ?? '') ?? [])]
        total += found.length
        for (const match of found.slice(0, atMost - matches.length))
          matches.push({ ...match, round: index + 1 })
      }
    return { matches, total }
  }

  #hear({ cell }: Saying, matches: readonly SaidMatch[]): void {
    if (matches.length === 0) return
    const said = this.#said.get(cell) ?? []
    for (const match of matches) said.push(match)
    this.#said.set(cell, said)
  }

  #inStep(step: StepRecord): readonly SaidMatch[] {
    const words = [...this.#query.linesIn(this.#wordsOf(step))]
    const calls = (step.calls ?? []).flatMap(({ name: tool, args }) =>
      textsIn(args).flatMap((text) => [...this.#query.linesIn(text)].map((line) => ({ ...line, tool }))),
    )
    return [
      ...words.map((line) => ({ ...line, place: 'answer' }) as const),
      ...calls.map((line) => ({ ...line, place: 'call' }) as const),
    ]
  }

  #inResult({ tool, content }: ResultRecord): readonly SaidMatch[] {
    const lines = resultTexts(content).flatMap((text) => [...this.#query.linesIn(text)])
    return lines.map((line) => ({ ...line, place: 'result', tool }))
  }
}

const typeOfLine = /^\{"type":"(\w+)"/

/** The readable part of a result: its texts, without the JSON around them. */
function resultTexts(content: string): readonly string[] {
  const result = parseJson(content)
  if (!isJsonObject(result)) return [content]
  const { status: _, ...rest } = result
  return textsIn(rest)
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
