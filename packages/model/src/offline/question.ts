import { formsOf, isChinese, knownWords, stem, stopWords } from './vocabulary.js'

/** `about`: the model itself. `files`: a list of them. `fact`: a field of the manifest. `project`: all of it. */
export type Kind = keyof typeof kinds | 'project'

/** The question: `isOrder` if it asks for a change or a run, which this model cannot do. */
export interface Question {
  readonly kind: Kind
  readonly language: 'en' | 'zh'
  readonly isOrder: boolean
  readonly terms: readonly Term[]
  /** The files and folders that it names, or the pattern of the files that it asks for. */
  readonly paths: readonly string[]
}

/** One thing that a question is about, and how it may be spelled; `isName`: an identifier, or a text in quotes. */
export interface Term {
  readonly forms: readonly string[]
  readonly pattern: RegExp
  readonly isName: boolean
}

export function readQuestion(whole: string): Question {
  // People paste logs.
  const text = whole.slice(0, 4000).trim()
  const named = pathsIn(text)
  const said = termsIn(named.reduce((left, path) => left.replaceAll(path, ' '), text))
  // "Which version of Node", "which tests cover login": the kind says that word already.
  const others = said.filter(({ forms }) => !forms.includes('version') && !forms.includes('test'))
  const names = Object.keys(kinds) as (keyof typeof kinds)[]
  const fits =
    names.find((kind) => kinds[kind].test(text) && (kind !== 'tests' || others.length > 0)) ?? 'what'
  const terms =
    others.length > 0 && /fact|tests/.test(fits) ? others : said.length > 0 || fits !== 'how' ? said : usage
  const kind = terms.length + named.length > 0 || /about|files/.test(fits) ? fits : 'project'
  const files = kind === 'project' ? ['{README,Readme,readme}*'] : kind === 'files' ? filesIn(text) : []
  const paths = named.length > 0 ? named : files
  return { kind, language: isChinese(text) ? 'zh' : 'en', isOrder: order.test(text), terms, paths }
}

/** The first that fits. */
const kinds = {
  about:
    /^(?:hi|hello|hey|yo|good (?:morning|evening|day)|thanks?|thank you|bye|help|ping|test|你好|您好|嗨|谢谢|再见|帮助|在吗)?[\s!.?。！？~]*$|\b(?:who|what) are you\b|\bwhat can you do\b|\bwhat model are\b|\bare you (?:an? )?(?:ai|llm|offline|real)\b|你是谁|你是什么|你能做什么|什么模型/i,
  files:
    /\b(?:list|ls|(?:what|which) (?=files|folders)|how many)\b.*\b(?:files|folders|tests)\b|(?:列出|哪些|多少|几个).*文件|目录结构/i,
  tests:
    /\b(?:which|what|where)\b.*\btest(?:s|ed)?\b|\btests? (?:that|for|of|cover)|哪.*测试|测试.*(?:哪|覆盖)/i,
  fact: /\bversions?\b|\blicen[cs]ed?\b|\bauthors?\b|版本|许可/i,
  uses: /\bhow (?:many|often)\b|\bnumber of\b|^count\b|(?<!是)多少|几个|几次|\b(?:used|usages?|callers?|called|referenced)\b|\b(?:who|what) (?:calls|uses)\b|谁(?:调用|使用|用)|被.*(?:调用|使用|引用)|哪里用/i,
  how: /\bhow (?:do|does|can|to|should)\b|\b(?:do|can|should) (?:i|we|you)\b|^run\b|怎么|怎样|如何/i,
  where: /\bwhere\b|\b(?:which|what) file\b|\blocat|在哪|哪里|哪个文件|位置|什么地方/i,
  what: /^/,
}
const order =
  /^(?:please |can you |could you )?(?:fix|add|implement|refactor|rename|change|edit|write|create|delete|remove|update|run|execute|install|build|deploy|commit)\b|^请?(?:帮我)?(?:修复|修改|添加|增加|实现|重构|重命名|删除|更新|运行|执行|安装|提交|写|创建)/i

/** `@[a mention]`, `"a quoted/path"`, `folder/file`, `file.ending` */
const path =
  /@\[([^\]\n{:]+)|["`]([^"`\n:*?]+(?:\/[^"`\n:*?]*|\.[a-z]{1,6}))["`]|(?<![\w/:.-])@?((?:[\w.@-]+\/)+[\w.@-]*|\.?[\w-][\w.-]*\.(?:[mc]?[jt]sx?|jsonl?|mdc?|txt|py|go|rs|java|kt|c|h|cc|[ch]pp|cs|rb|php|sh|ya?ml|toml|xml|html|s?css|vue|sql|lock|ini|env|log|csv|swift|mtm))(?![\w/])/g

function pathsIn(text: string): string[] {
  const found = [...text.matchAll(path)].map((match) => match.slice(1).join('').trim())
  const paths = new Set(found.map((each) => each.replace(/^\.\/|(?<=\w)[./]+$/g, '')))
  // `and/or` is not a folder, and Node.js is not a file.
  return [...paths].filter((each) => each.length > 1 && !/^(?:and\/or|[A-Z]\w*\.js)$/.test(each)).slice(0, 3)
}

const languages: readonly (readonly [RegExp, pattern: string])[] = [
  [/\btests?\b|测试/i, '**/*{.test,.spec,_test,Test}.*'],
  [/typescript/i, '**/*.{ts,tsx}'],
  [/javascript/i, '**/*.{js,jsx,mjs,cjs}'],
  [/python/i, '**/*.py'],
  [/markdown|文档/i, '**/*.md'],
]
const inFolder = /\b(?:in|under|inside)\s+(?:the\s+)?([\w.-]*\w)|([\w.-]+)\s*(?:文件夹|目录|下|里|中)/i

function filesIn(text: string): string[] {
  const [, pattern] = languages.find(([name]) => name.test(text)) ?? []
  const folder = inFolder.exec(text)?.slice(1).find(Boolean) ?? '.'
  return [pattern ?? (stopWords.has(folder) ? '.' : folder)]
}

const quoted = /`([^`\n]{2,80})`|"([^"\n]{2,80})"|“([^”\n]{2,80})”|「([^」\n]{2,80})」/g
/** camelCase, PascalCase of two parts, snake_case, dotted.name, kebab-name, call(), --flag */
const identifier =
  /(?<![\p{L}\p{N}_.-])(?!(?:Type|Java)Script\b)(?:[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w+_\w+|[A-Za-z]\w+(?:[.-][A-Za-z]\w+)+|[A-Za-z]\w+(?=\(\))|--?[a-z][\w-]+)(?![\p{L}\p{N}_])/gu

function termsIn(text: string): Term[] {
  const quotes = [...text.matchAll(quoted)].map((found) => found.slice(1).join('').trim())
  const prose = text.replace(quoted, ' ').replace(/\b(?:the|this|our) code\b|(?<=\b[A-Z]\w*)\.js\b/g, ' ')
  const names = new Set([...quotes, ...(prose.match(identifier) ?? [])].filter(Boolean))
  const rest = prose.replace(identifier, ' ')
  const segments = new Intl.Segmenter('zh', { granularity: 'word' }).segment(rest.replace(knownWords, ' '))
  const words = [
    ...(rest.match(knownWords) ?? []),
    ...[...segments].map((each) => each.segment.toLowerCase()),
  ]
  const isWord = (word: string) => /^[\p{L}\p{N}]{2}|^\p{Script=Han}$/u.test(word) && !stopWords.has(word)
  const stems = new Set(words.filter(isWord).map(stem).filter(isWord))
  return [...[...names].map(nameTerm), ...[...stems].map((word) => termOf(formsOf(word)))].slice(0, 8)
}

export function nameTerm(name: string): Term {
  const low = name.toLowerCase().replace(/\(\)$/, '')
  const kebab = name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
  const last = /^[\w.]+\w$/.test(low) ? low.slice(low.lastIndexOf('.') + 1) : low
  return { ...termOf([...new Set([low, kebab, low.replace(/(?<=\w)-/g, ''), last])]), isName: true }
}

function termOf(forms: readonly string[]): Term {
  return { forms, pattern: new RegExp(`(?<![a-z])(?:${patternOf(forms)})`, 'g'), isName: false }
}

export function patternOf(forms: readonly string[]): string {
  return [...new Set(forms)].map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')
}

/** "How do I use it?" */
const usage = [termOf(['usage', 'quick start', 'getting started'])]
