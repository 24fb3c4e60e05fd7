import type { PermissionAnswer, PermissionQuestion } from '@mutsumi/tools'
import { type ApprovalChoice, answerFor, openQuestion } from '../conversation/question.js'
import { choiceText } from '../conversation/question-lines.js'
import { type Line, span } from '../text/span.js'
import type { Words } from '../words/words.js'

export interface PlainApprovalOptions {
  readonly words: Words
  readonly print: (lines: readonly Line[]) => void
  /** Undefined if no answer will come. */
  readonly read: (prompt: string) => Promise<string | undefined>
  /** Keeps a line that is a message and not an answer. */
  readonly keep: (line: string) => void
  /** Whether the round that asks was cancelled in the meantime. */
  readonly isOver: () => boolean
}

/** One numbered line of a question: a choice, and the rules that it adds. */
interface NumberedChoice {
  readonly choice: ApprovalChoice
  readonly offer: number
}

/** Asks a question with numbered choices. Each set of rules that a permanent yes can add has its own number. */
export async function askPlainly(
  question: PermissionQuestion,
  { words, print, read, keep, isOver }: PlainApprovalOptions,
): Promise<PermissionAnswer> {
  const opened = openQuestion(question)
  const numbered = opened.choices.flatMap((choice): readonly NumberedChoice[] =>
    choice === 'session' || choice === 'always'
      ? opened.offers.map((_, offer) => ({ choice, offer }))
      : [{ choice, offer: 0 }],
  )
  print(
    numbered.map(({ choice, offer }, index) => {
      const { text, adds } = choiceText(choice, opened, { rules: opened.offers[offer] ?? '', words })
      return [span(`${index + 1}. ${text}${adds}`)]
    }),
  )
  const isConfirmed = async ({ offer }: NumberedChoice) => {
    print([[span(words.approval.confirm(opened.offers[offer] ?? '', opened.keptIn))]])
    return (await read(`${words.plain.confirm} `))?.trim().toLowerCase() === words.plain.yes
  }
  for (;;) {
    const line = await read(`${words.approval.choose(numbered.length)} `)
    if (line === undefined || isOver()) return 'no'
    const chosen = numbered[Number(line.trim()) - 1]
    if (chosen?.choice === 'no') return refusal(await read(`${words.approval.reason}\n`))
    if (chosen && (chosen.choice !== 'always' || (await isConfirmed(chosen))))
      return answerFor(chosen.choice, chosen.offer)
    // Nothing typed is lost: any other text is the next message.
    if (!chosen && !/^\s*\d*\s*$/.test(line)) keep(line)
  }
}

function refusal(reason = ''): PermissionAnswer {
  return reason.trim() === '' ? 'no' : { no: reason.trim() }
}
