import { type Call, type Conversation, resultOf, type Step } from './conversation.js'
import { namedFiles } from './excerpt.js'
import { isFileName, type Question } from './question.js'
import { holdsTerm, rankPlaces } from './rank.js'
import { definitionSearch, escaped, looseSearch, mainSearch, nameSearch } from './search.js'

/** Replies to one question before the answer must come. */
const mostSteps = 6
const mostReads = 3

/** The next tool to use, or nothing: then what is known is the answer. The same conversation gives the same call. */
export function nextCall(question: Question, conversation: Conversation): Call | undefined {
  if (conversation.replies >= mostSteps) return undefined
  for (const call of wantedCalls(question, conversation))
    if (resultOf(conversation, call) === undefined) return call
  return undefined
}

/** What should be known before the question is answered, in order. What comes later may depend on earlier results. */
function* wantedCalls(question: Question, conversation: Conversation): Generator<Call> {
  for (const path of conversation.mentioned.slice(0, mostReads)) yield readCall(path)
  switch (question.intent) {
    case 'about':
      return
    case 'list':
      return yield listCall(question)
    case 'count':
      return yield countCall(question)
    case 'file':
      return yield* fileCalls(question, conversation)
    case 'change':
      return yield* changeCalls(question, conversation)
    case 'explain':
    case 'uses':
    case 'where':
      return yield* searchCalls(question, conversation)
    default:
      return question.intent satisfies never
  }
}

function readCall(path: string): Call {
  return { name: 'Read', args: { path } }
}

export function listCall({ glob, folder = '.' }: Question): Call {
  if (glob !== undefined) return { name: 'Glob', args: { pattern: glob, path: folder, limit: 200 } }
  return { name: 'LS', args: { path: folder, limit: 200 } }
}

/** Lines of a file, files of a kind, or lines that hold what was named. */
export function countCall({ names, words, paths, glob, folder = '.' }: Question): Call {
  const file = paths.find(isFileName)
  const subjects = names.length > 0 ? names : words.filter((word) => word !== folder && !kindWords.has(word))
  if (file !== undefined && subjects.length === 0) return { name: 'Read', args: { path: file, limit: 1 } }
  if (glob !== undefined || subjects.length === 0)
    return { name: 'Glob', args: { pattern: glob ?? '**/*', path: folder, limit: 200 } }
  const pattern = subjects.map(escaped).join('|')
  return {
    name: 'Grep',
    args: { pattern, path: file ?? folder, case_sensitive: names.length > 0, limit: 1000 },
  }
}

/** Words that a pattern for files stands for already. */
const kindWords = new Set(['typescript', 'javascript', 'python', 'test', 'markdown'])

/** The file that is asked about; where it is not there, one of that name elsewhere; a folder is listed. */
function* fileCalls(question: Question, conversation: Conversation): Generator<Call> {
  const path = question.paths.find((each) => !isGiven(each, conversation))
  if (path === undefined) return
  const isFile = isFileName(path)
  const direct: Call = isFile
    ? readCall(path)
    : { name: 'LS', args: { path: path.replace(/\/$/, ''), limit: 200 } }
  yield direct
  if (!resultOf(conversation, direct)?.failed) return
  const elsewhere: Call = {
    name: 'Glob',
    args: { pattern: `**/${path.replace(/^.*\/(?=.)/, '')}`, limit: 20 },
  }
  yield elsewhere
  const [found] = pathsIn(resultOf(conversation, elsewhere))
  if (found !== undefined) yield readCall(found)
  else yield* searchCalls(question, conversation)
}

/** What is to be changed is read, where it is named. */
function* changeCalls(question: Question, conversation: Conversation): Generator<Call> {
  const files = question.paths.filter(isFileName)
  if (files.length === 0) return yield* searchCalls(question, conversation)
  for (const path of files.slice(0, mostReads)) yield* fileCalls({ ...question, paths: [path] }, conversation)
}

function isGiven(path: string, { given, mentioned }: Conversation): boolean {
  return mentioned.includes(path) || given.some((file) => file.path === path)
}

function* searchCalls(question: Question, conversation: Conversation): Generator<Call> {
  if (isAnsweredByFiles(question, conversation)) return
  const main = mainSearch(question)
  if (main) yield main
  const loose = looseSearch(question)
  if (loose && !(main && finds(question, resultOf(conversation, main)))) yield loose
  const definitions = definitionSearch(question)
  if (definitions && conversation.steps.some(({ name, data }) => name === 'Grep' && data.truncated === true))
    yield definitions
  const names = question.intent === 'uses' ? undefined : nameSearch(question)
  if (names) yield names
  for (const { file, line } of bestPlaces(question, conversation).slice(0, mostReads))
    yield { name: 'Read', args: { path: file, start_line: Math.max(1, line - 12), limit: 40 } }
}

/** The places that are worth reading: those that are not far behind the best. */
function bestPlaces(question: Question, { steps }: Conversation) {
  const places = rankPlaces(question, steps)
  const best = places[0]?.score ?? 0
  return places.filter(({ score }) => score >= best - 6).slice(0, mostReads)
}

/** Files that the user named answer the question where they hold its words. */
function isAnsweredByFiles({ names, words }: Question, conversation: Conversation): boolean {
  const terms = [...names, ...words].map((term) => term.toLowerCase())
  return namedFiles(conversation).some(({ lines }) =>
    lines.some((line) => terms.some((term) => holdsTerm(line, term))),
  )
}

/** Lines that are worth nothing, such as those of a dictionary, are not found. */
function finds(question: Question, step: Step | undefined): boolean {
  return step !== undefined && rankPlaces(question, [step]).length > 0
}

/** The shortest path first: a copy deeper down is rarely meant. */
export function pathsIn(step: Step | undefined): string[] {
  const paths = Array.isArray(step?.data.paths) ? step.data.paths : []
  return paths.filter((path) => typeof path === 'string').sort((one, other) => one.length - other.length)
}
