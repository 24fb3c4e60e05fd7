import { type FileRecord, isChanged, type RoundRecords } from '../history/records.js'
import { type FileWords, markedWords } from './file-words.js'
import { codeSpan, earlierNote, times, tooMany } from './summary-records.js'

export interface FileLinesOptions {
  /** The most characters for the facts. */
  readonly limit: number
  /** A model's words about files, and the most characters they may add. */
  readonly said?: { readonly words: readonly FileWords[]; readonly limit: number }
}

/**
 * One line for each changed file, and one for all files that were only read. Facts come from the records. A model's
 * words about a file follow, marked as such, because the model may know of a change that no record shows, such as one
 * made by a command.
 */
export function fileLines({ files }: RoundRecords, { limit, said }: FileLinesOptions): readonly string[] {
  const { known, others } = placedWords(files.entries, said?.words ?? [])
  const changed = known.filter(({ file }) => isChanged(file))
  const unchanged = known.filter(({ file }) => !isChanged(file))
  // The records leave out files that were only read first.
  const [changedRoom, changedMore] =
    unchanged.length === 0 ? [limit, files.more] : [Math.floor(limit * 0.75), 0]
  const speech = new Speech(said?.limit ?? 0)
  const changedLines = linesOfChanged(changed, { limit: changedRoom, more: changedMore, speech })
  const read: FileRecord[] = []
  const readLines = unchanged.flatMap(({ file, words }) => {
    const line = speech.alone(`* ${codeSpan(file.path)}: only read.`, words)
    if (line.length === 0) read.push(file)
    return line
  })
  const otherLines = others.flatMap(({ path, words }) =>
    speech.alone(path === '' ? '*' : `* ${codeSpan(path)}: no recorded change.`, words),
  )
  const told = [...changedLines, ...readLines, ...otherLines, ...speech.leftOut()]
  const rest = { limit: limit - changedRoom, more: files.more - changedMore }
  return [...(told.length === 0 ? ['* (none)'] : told), ...onlyRead(read, rest)]
}

interface FileWithWords {
  readonly file: FileRecord
  /** Empty if the model said nothing. */
  readonly words: string
}

/** Matches words to their files. Words about unknown files are kept apart. */
function placedWords(
  files: readonly FileRecord[],
  said: readonly FileWords[],
): { readonly known: readonly FileWithWords[]; readonly others: readonly FileWords[] } {
  const wordsOf = new Map<FileRecord, string>()
  const others: FileWords[] = []
  for (const each of said) {
    if (each.words === '') continue
    const file = each.path === '' ? undefined : fileNamed(each.path, files)
    if (!file) others.push(each)
    // Skip words that only repeat the facts.
    else if (each.words !== `${fileDeeds(file)}.`)
      wordsOf.set(file, [...(wordsOf.has(file) ? [wordsOf.get(file)] : []), each.words].join(' '))
  }
  return { known: files.map((file) => ({ file, words: wordsOf.get(file) ?? '' })), others }
}

/** The file with this path; else the only file whose path ends with it, or that it ends with. */
function fileNamed(path: string, files: readonly FileRecord[]): FileRecord | undefined {
  const exact = files.find((file) => file.path === path)
  if (exact) return exact
  const near = files.filter((file) => file.path.endsWith(`/${path}`) || path.endsWith(`/${file.path}`))
  return near.length === 1 ? near[0] : undefined
}

function linesOfChanged(
  changed: readonly FileWithWords[],
  { limit, more, speech }: { readonly limit: number; readonly more: number; readonly speech: Speech },
): readonly string[] {
  const facts = changed.map(({ file }) => `* ${codeSpan(file.path)}: ${fileDeeds(file)}.`)
  const left = tooMany(facts, limit)
  const lines: string[] = []
  // Start with the newest change: if there is not enough room for all words, its words are kept.
  for (let index = changed.length - 1; index >= left; index--)
    lines.unshift(speech.after(facts[index] ?? '', changed[index]?.words ?? ''))
  return [...earlierNote(left + more), ...lines]
}

/** A model's words, while there is room for them. */
class Speech {
  #room: number
  #left = 0

  constructor(room: number) {
    this.#room = room
  }

  /** Facts, and the words after them. */
  after(facts: string, words: string): string {
    if (words === '') return facts
    const marked = markedWords(words)
    return this.#take(marked.length) ? `${facts} ${marked}` : facts
  }

  /** A line that consists only of the model's words; absent if there are none. */
  alone(facts: string, words: string): readonly string[] {
    if (words === '') return []
    const line = `${facts} ${markedWords(words)}`
    return this.#take(line.length) ? [line] : []
  }

  leftOut(): readonly string[] {
    if (this.#left === 0) return []
    return [`* (… the model's words about ${this.#left} more left out)`]
  }

  #take(length: number): boolean {
    const fits = length <= this.#room
    if (fits) this.#room -= length
    else this.#left++
    return fits
  }
}

function onlyRead(
  files: readonly FileRecord[],
  { limit, more }: { readonly limit: number; readonly more: number },
): readonly string[] {
  if (files.length + more === 0) return []
  const paths = files.map(({ path }) => codeSpan(path))
  const left = tooMany(
    paths.map((path) => `${path} `),
    limit,
  )
  const named = paths.slice(left).join(', ')
  const rest = left + more
  if (named === '') return [`* Only read: ${rest} files`]
  return [`* Only read: ${named}${rest > 0 ? ` (and ${rest} more)` : ''}`]
}

/** `created, edited 2 times (last: lines 3-9)` */
function fileDeeds(file: FileRecord): string {
  const { created, edited, interrupted } = file
  const deeds = [
    created > 0 ? 'created' : '',
    edited > 0 ? `edited ${times(edited)}${lastLines(file)}` : '',
    interrupted > 0 ? 'a change was interrupted, whether it took effect is unknown' : '',
  ]
  return deeds.filter((deed) => deed !== '').join(', ')
}

function lastLines({ edited, lines }: FileRecord): string {
  if (lines === '') return ''
  return ` (${edited > 1 ? 'last: ' : ''}${/^\d+$/.test(lines) ? 'line' : 'lines'} ${lines})`
}
