import type { Conversation } from './conversation.js'
import { type Excerpt, namedFiles, passageAt, readExcerpt } from './excerpt.js'
import { countAnswer, listAnswer, listText } from './listing.js'
import { outlineOf } from './outline.js'
import { type Phrases, phrases } from './phrases.js'
import { isFileName, type Question } from './question.js'
import { clip, placeName, quote } from './quote.js'
import {
  definedName,
  holdsTerm,
  isBesideThePoint,
  isImport,
  matchesIn,
  type Place,
  rankPlaces,
} from './rank.js'

/** The answer from what is known: quoted lines with file and line, how sure it is, and who says so. */
export function answerOf(question: Question, conversation: Conversation): string {
  const say = phrases[question.language]
  switch (question.intent) {
    case 'about':
      return conversation.mentioned.length === 0
        ? say.about
        : [...fileParts(question, conversation), say.note].join('\n\n')
    case 'list':
      return [listAnswer(question, conversation), say.note].join('\n\n')
    case 'count':
      return [countAnswer(question, conversation), say.note].join('\n\n')
    case 'file':
      return [...namedParts(question, conversation), say.note].join('\n\n')
    case 'change': {
      const parts = question.paths.some(isFileName) ? namedParts : searchParts
      return [say.cannotChange, ...parts(question, conversation), say.note].join('\n\n')
    }
    case 'explain':
    case 'uses':
    case 'where':
      return [...searchParts(question, conversation), say.note].join('\n\n')
    default:
      return question.intent satisfies never
  }
}

/** The best passage of the files that the question names, and what they hold. */
function namedParts(question: Question, conversation: Conversation): string[] {
  const say = phrases[question.language]
  const passage = filePassage(question, conversation)
  const lead = passage ? [say.fromFiles(placeName(passage.path, passage.line)), passage.quote] : []
  return [...lead, ...fileParts(question, conversation)]
}

function searchParts(question: Question, conversation: Conversation): string[] {
  const say = phrases[question.language]
  const inFiles = filePassage(question, conversation)
  if (inFiles) return [say.fromFiles(placeName(inFiles.path, inFiles.line)), inFiles.quote]
  const places = rankPlaces(question, conversation.steps).map((place) => withLine(place, conversation))
  const [best, ...others] = places
  if (!best) return [...fileParts(question, conversation, false), say.nothing(termsText(question))]
  const lines = conversation.steps.flatMap(matchesIn)
  const more = others.slice(0, 5).filter(({ score, holds }) => score > best.score / 3 || holds > 1)
  return [
    lead(say, question, { best, count: lines.length }),
    quotePlace(best, conversation),
    ...(more.length === 0 ? [] : [[say.more, ...more.map(seeAlso)].join('\n')]),
    [
      say.confidence(
        sureness(best, others[0], question),
        lines.length,
        new Set(lines.map(({ file }) => file)).size,
      ),
      ...(conversation.steps.some(({ name, data }) => name === 'Grep' && data.truncated === true)
        ? [say.truncated]
        : []),
    ].join(' '),
  ]
}

function lead(
  say: Phrases,
  { intent }: Question,
  { best, count }: { readonly best: Place; readonly count: number },
): string {
  const place = placeName(best.file, best.text === '' ? undefined : best.line)
  if (intent === 'uses') return say.usesLead(count, place)
  return intent === 'where' || intent === 'change' ? say.whereLead(place) : say.explainLead(place)
}

/** Only the definition of the very name, or the very text, that was asked for is certain. */
function sureness(best: Place, next: Place | undefined, question: Question): 'high' | 'medium' | 'low' {
  const { names, words } = question
  const isQuoted = names.some((name) => /\s/.test(name) && best.text.includes(name))
  if (isQuoted) return 'high'
  if (best.defines && !next?.defines) return 'high'
  if (isBesideThePoint(best.file, question)) return 'low'
  const english = words.filter((word) => /^[a-z]/.test(word)).length
  const asked = names.length + (english || words.length)
  return best.holds >= Math.max(2, Math.ceil(asked * 0.6)) || best.defines ? 'medium' : 'low'
}

/** A file that only its name speaks for: its first definition stands for it, where it was read. */
function withLine(place: Place, { steps }: Conversation): Place {
  const read = place.text === '' && steps.flatMap(readExcerpt).find((excerpt) => excerpt.path === place.file)
  if (!read) return place
  const index = read.lines.findIndex((text) => definedName(text) !== undefined && !isImport(text))
  return index === -1
    ? place
    : { ...place, line: (read.firstLine ?? 1) + index, text: read.lines[index] ?? '' }
}

function quotePlace(place: Place, conversation: Conversation): string {
  const read = conversation.steps.flatMap(readExcerpt).find((excerpt) => holdsLine(excerpt, place))
  return read
    ? quote(passageAt(read, place.line))
    : quote({ path: place.file, firstLine: place.line, lines: [place.text] })
}

function holdsLine({ path, firstLine = 1, lines }: Excerpt, { file, line }: Place): boolean {
  return path === file && line >= firstLine && line < firstLine + lines.length
}

function seeAlso({ file, line, text }: Place): string {
  const shown = clip(text.trim(), 100)
  return `- ${placeName(file, text === '' ? undefined : line)}${shown === '' ? '' : `: ${shown}`}`
}

/** The best line of the files that the user named. */
function filePassage(question: Question, conversation: Conversation) {
  const matches = namedFiles(conversation).flatMap((excerpt) => {
    const { path, lines, firstLine } = excerpt
    return lines.map((text, index) => ({ excerpt, file: path, line: (firstLine ?? 1) + index, text }))
  })
  const terms = [...question.names, ...question.words].map((term) => term.toLowerCase())
  const holding = matches.filter(({ text }) => terms.some((term) => holdsTerm(text, term)))
  const data = { matches: holding.map(({ file, line, text }) => ({ file, line, text })) }
  const [best] = rankPlaces(question, [{ name: 'Grep', args: {}, failed: false, data }])
  const found = best && holding.find(({ file, line }) => file === best.file && line === best.line)
  if (!found) return undefined
  const isNumbered = found.excerpt.firstLine !== undefined
  const passage = passageAt(found.excerpt, found.line)
  return {
    path: found.file,
    line: isNumbered ? found.line : undefined,
    quote: quote(isNumbered ? passage : withoutNumbers(passage)),
  }
}

function withoutNumbers({ path, lines }: Excerpt): Excerpt {
  return { path, lines }
}

/** What the files that are asked about hold. */
function fileParts(question: Question, conversation: Conversation, complains = true): string[] {
  const say = phrases[question.language]
  const wanted = new Set([...question.paths, ...conversation.mentioned])
  const excerpts = namedFiles(conversation)
  const asked = excerpts.filter(({ path }) => wanted.has(path))
  const shown = (asked.length > 0 ? asked : excerpts).slice(0, 3)
  if (shown.length > 0) return shown.map((excerpt) => outlineOf(excerpt, say))
  const listed = conversation.steps.find(({ name, failed }) => name === 'LS' && !failed)
  if (listed) return [listText(listed, question)]
  if (!complains) return []
  const places = rankPlaces(question, conversation.steps)
  const [path = ''] = [...question.paths, ...conversation.mentioned]
  return [say.notThere(path), ...(places.length === 0 ? [] : searchParts(question, conversation))]
}

function termsText({ names, words, paths }: Question): string {
  const terms = [...names, ...words, ...paths].slice(0, 8)
  return terms.length === 0 ? '""' : terms.map((term) => `"${term}"`).join(', ')
}
