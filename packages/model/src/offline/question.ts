import { formsOf, isChinese, wordsIn } from './words.js'

/** `about`: the model itself. `fact`: a field of the manifest. */
export type Kind = keyof typeof kinds

export type Question = ReturnType<typeof readQuestion>

/** One thing that a question is about, and how it may be spelled; `isName`: an identifier, or a text in quotes. */
export interface Term {
  readonly forms: readonly string[]
  readonly pattern: RegExp
  readonly weight: number
  readonly isName: boolean
  /** As it was written. */
  readonly word?: string
  /** A name as it was written, without parentheses. */
  readonly name?: string
}

/** Finds the kind of a question, the words that it is about, and the files, folders and patterns that it names. */
export function readQuestion(whole: string) {
  // People paste logs.
  const text = whole.slice(0, 4000).trim()
  const mentioned = [...text.matchAll(path)].map((match) => match.slice(1).join('').trim())
  const named = [...new Set(mentioned.map((each) => each.replace(/^\.\/|(?<=\w)[./]+$/g, '')))].slice(0, 2)
  const said = overview.test(text)
    ? []
    : termsIn(named.reduce((left, path) => left.replaceAll(path, ' '), text))
  const kind = (Object.keys(kinds) as Kind[]).find((each) => kinds[each].test(text)) ?? 'what'
  // "Which version of Node", "which tests cover login": the kind says that word already.
  const others = said.filter(({ forms }) => forms[0] !== { fact: 'version', tests: 'test' }[kind as string])
  const paths = said.length + named.length > 0 ? named : ['.']
  const language: 'en' | 'zh' = isChinese(text) ? 'zh' : 'en'
  return { text, kind, language, terms: others.length > 0 ? others : said, paths }
}

/** "What does this library do?" */
const overview =
  /^\W*what(?:'s|’s| is| does| are)? (?:this|the|that) (?:library|package|tool|program|app(?:lication)?|framework|crate|module|software)(?: do| about| for| used for)?\W*$/i

/** The first that fits. */
const kinds = {
  about:
    /^(?:hi|hello|hey|yo|good (?:morning|evening|day)|thanks?|thank you|bye|help|ping|test|你好|您好|嗨|谢谢|再见|帮助|在吗)?[\s!.?。！？~]*$|\b(?:who|what) are you\b|\bwhat can you do\b|\bwhat model are\b|\bare you (?:an? )?(?:ai|llm|offline|real)\b|你是谁|你是什么|你能做什么|什么模型/i,
  tests: /\b(?:which|what|where)\b.*\btest(?:s|ed)?\b|\btests? (?:for|of|cover)|哪.*测试|测试.*(?:哪|覆盖)/i,
  fact: /\bversions?\b|\blicen[cs]ed?\b|\bauthors?\b|版本|许可/i,
  uses: /\bhow (?:many|often)\b|\bnumber of\b|^count\b|(?<!是)多少|几个|几次|\b(?:used|usages?|callers?|called|referenced)\b|\b(?:who|what) (?:calls|uses)\b|谁(?:调用|使用|用)|被.*(?:调用|使用|引用)|哪里用/i,
  how: /\bhow (?:do|does|can|to|should)\b|\b(?:do|can|should) (?:i|we|you)\b|^run\b|怎么|怎样|如何/i,
  where: /\bwhere\b|\b(?:which|what) file\b|\blocat|在哪|哪里|哪个文件|位置|什么地方/i,
  what: /^/,
}

/** `@[a mention]`, `"a quoted/path"`, `folder/file`, `file.ending`, `*.ending`. Not and/or, nor Node.js. */
const path =
  /@\[([^\]\n{:]+)|["`]([^"`\n:*?]+(?:\/[^"`\n:*?]*|\.[a-z]{1,6}))["`]|(?<![\w/:.*-])(?!and\/or|[A-Z]\w*\.js\b)@?((?:[\w.@*-]+\/)+[\w.@*-]*|\.?[\w*-][\w.*-]*\.(?:[mc]?[jt]sx?|jsonl?|mdc?|txt|py|go|rs|java|kt|c|h|cc|[ch]pp|cs|rb|php|sh|ya?ml|toml|xml|html|s?css|vue|sql|lock|ini|env|log|csv|swift|mtm))(?![\w/])/g

const quoted = /`([^`\n]{2,80})`|"([^"\n]{2,80})"|“([^”\n]{2,80})”|「([^」\n]{2,80})」/g
/** camelCase, PascalCase of two parts, snake_case, dotted.name, kebab-name, call(), --flag */
const identifier =
  /(?<![\p{L}\p{N}_.-])(?!(?:Type|Java)Script\b)(?:[A-Za-z]\w*(?:(?:[.#-]|::)[A-Za-z]\w+)+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w+_\w+|[A-Za-z]\w+(?=\(\))|--?[a-z][\w-]+)(?![\p{L}\p{N}_])/gu

/** "the Option class", "the function parse", "Where is echo implemented?" name something in code. */
const called =
  /\b([A-Za-z_]\w{2,}) (?:class|struct|function|method|trait|interface|enum|decorator|macro|exception)\b|\b(?:class|struct|function|method|trait|interface|enum|decorator|macro|exception) ([A-Za-z_]\w{2,})\b|\bis (?:the )?([A-Za-z_]\w{2,}) (?:defined|implemented|declared)\b/g

/** "Where is add defined?", "What does run do?", "the find method": a name, though it is a word of any question too. */
const asked =
  /\bis (?:the )?(?!(?:it|this|that|the|each|one)\b)([a-z_]\w+)(?: (?:function|method|class))? (?:defined|implemented|declared)\b|\bwhat does (?:the )?(?!(?:it|this|that|the|each|one|my|our|your)\b)([a-z_]\w+)(?: (?:function|method|class))? do\b|\bthe (?!(?:main|same|first|last|new|other|line|code|whole)\b)([a-z_]\w+) (?:function|method)\b/gi

function termsIn(text: string): Term[] {
  const quotes = [...text.matchAll(quoted)].map((found) => found.slice(1).join('').trim())
  for (const found of text.matchAll(called)) {
    const name = found.slice(1).find(Boolean) ?? ''
    if (wordsIn(name).length > 0) quotes.push(name)
  }
  quotes.push(...[...text.matchAll(asked)].map((found) => found.slice(1).find(Boolean) ?? ''))
  const prose = quotes
    .reduce((left, name) => left.replaceAll(name, ' '), text.replace(quoted, ' '))
    .replace(/\b(?:the|this|our) code\b|(?<=\b[A-Z]\w*)\.js\b/g, ' ')
  const names = [...quotes, ...(prose.match(identifier) ?? [])].filter(Boolean)
  const words = wordsIn(prose.replace(identifier, ' '))
  // Code seldom has the verb of a question ("Where are permissions checked?") or Chinese words.
  const weightOf = (word: string) => (/[a-z]ed$/.test(word) || isChinese(formsOf(word)[0] ?? '') ? 0.4 : 1)
  const terms = [
    ...names.map(nameTerm),
    ...words.map((word) => ({ ...termOf(formsOf(word), weightOf(word)), word })),
  ]
  return [...new Map(terms.map((term) => [term.forms[0], term])).values()].slice(0, 8)
}

export function nameTerm(name: string): Term {
  const low = name.toLowerCase().replace(/\(\)$/, '')
  const kebab = name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
  const others = [low.replace(/(?<=\w)-/g, ''), low.replace(/^[\w.:#]*(?:\.|::|#)(?=\w+$)/, '')]
  return {
    ...termOf([...new Set([low, kebab, ...others])], 2),
    isName: true,
    name: name.replace(/\(\)$/, ''),
  }
}

function termOf(forms: readonly string[], weight: number): Term {
  return { forms, pattern: new RegExp(`(?<![a-z])(?:${patternOf(forms)})`), weight, isName: false }
}

export function patternOf(forms: readonly string[]): string {
  return [...new Set(forms)].map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')
}
