// Reports tests that passed only at a second try: each one is a race until somebody has looked. CI prints these lines last.
import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'

/** Words of tests whose subject is a race: a second try would hide what they look for, so they have none. */
const aboutRaces = new RegExp(
  [
    /\bSIG(KILL|TERM|HUP|INT)\b|kill -9|\bkill(s|ed)?\b|\bcrash(es|ed)?\b|\bhang-?up\b|\bhung up\b|\bgoes away\b/,
    /\brac(e|es|ing)\b|\block(s|ed|ing)?\b|\bsav(e|es|ing)\b|\btorn\b|\bmeanwhile\b/,
    /\bat the same time\b|\bsimultaneous(ly)?\b|\bconcurrent(ly)?\b/,
    /\btwo (runs|writers|programs|processes|sessions|conversations|windows|agents)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
)

export const isAboutRaces = (text) => aboutRaces.test(text)

/** Prints a second try and adds it to the file in which CI collects them. */
export function reportSecondTry(name, firstFailure) {
  const line = `SECOND TRY ${name}: ${firstFailure.trim().split('\n').slice(0, 3).join(' | ')}`
  console.log(line)
  if (process.env.MUTSUMI_SECOND_TRIES) appendFileSync(process.env.MUTSUMI_SECOND_TRIES, `${line}\n`)
}

/** A reporter for vitest. */
export class SecondTries {
  onTestCaseResult(test) {
    const { retryCount = 0 } = test.diagnostic() ?? {}
    if (retryCount === 0) return
    const [first] = test.result().errors ?? []
    const file = relative(process.cwd(), test.module.moduleId)
    reportSecondTry(`${file} > ${test.fullName}`, first?.message ?? 'the first failure left no message')
  }
}
