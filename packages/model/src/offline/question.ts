import { formsOf, isChinese, knownWords, stem, stopWords } from './vocabulary.js'

/** `about`: the model itself. `overview`: the project. `path`: a file or folder that is named. */
export type Kind = 'about' | 'overview' | 'path' | 'tests' | 'uses' | 'where' | 'what'

export interface Question {
  readonly kind: Kind
  readonly language: 'en' | 'zh'
  /** It asks for a change or a run, which this model cannot do. */
  readonly isOrder: boolean
  readonly isHowTo: boolean
  readonly terms: readonly Term[]
  /** The files and folders that it names, or the pattern of the files that it asks for. */
  readonly paths: readonly string[]
}

/** One thing that a question is about. */
export interface Term {
  /** How it may be spelled, in lower case: the beginnings of words. */
  readonly forms: readonly string[]
  /** An identifier, or a text in quotes, as written. */
  readonly name?: string
}

export function readQuestion(whole: string): Question {
  // People paste logs.
  const text = whole.slice(0, 4000).trim()
  const paths = pathsIn(text)
  const said = termsIn(paths.reduce((left, path) => left.replaceAll(path, ' '), text))
  const isBare = said.length === 0 && paths.length === 0
  const terms = isBare && asks.howTo.test(text) ? [usage] : said
  return {
    kind: kindOf(text, terms, paths),
    language: isChinese(text) ? 'zh' : 'en',
    isOrder: asks.order.test(text),
    isHowTo: asks.howTo.test(text),
    terms,
    paths,
  }
}

/** "How do I use it?" */
const usage: Term = { forms: ['usage', 'quick start', 'getting started'] }

function kindOf(text: string, terms: readonly Term[], paths: readonly string[]): Kind {
  if (asks.nothing.test(text) || asks.itself.test(text)) return 'about'
  if (paths.length > 0) return 'path'
  if (terms.length === 0) return 'overview'
  if (asks.tests.test(text) && terms.some(({ forms }) => !forms.includes('test'))) return 'tests'
  if (asks.uses.test(text) && !/version|版本/i.test(text)) return 'uses'
  return asks.where.test(text) ? 'where' : 'what'
}

const asks = {
  nothing:
    /^(?:hi|hello|hey|yo|good (?:morning|evening|day)|thanks?|thank you|bye|help|ping|test|你好|您好|嗨|谢谢|再见|帮助|在吗)?[\s!.?。！？~]*$/i,
  itself:
    /\b(?:who|what) are you\b|\bwhat can you do\b|\bwhat model are\b|\bare you (?:an? )?(?:ai|llm|offline|real)\b|你是谁|你是什么|你能做什么|什么模型/i,
  order:
    /^(?:please |can you |could you )?(?:fix|add|implement|refactor|rename|change|edit|write|create|delete|remove|update|run|execute|install|build|deploy|commit)\b|^请?(?:帮我)?(?:修复|修改|添加|增加|实现|重构|重命名|删除|更新|运行|执行|安装|提交|写|创建)/i,
  howTo: /\bhow (?:do|does|can|to|should)\b|\brun\b|怎么|怎样|如何/i,
  files:
    /\b(?:list|ls|(?:what|which) (?=files|folders)|how many)\b.*\b(?:files|folders|tests)\b|(?:列出|哪些|多少|几个).*文件|目录结构/i,
  tests:
    /\b(?:which|what|where)\b.*\btest(?:s|ed)?\b|\btests? (?:that|for|of|cover)|哪.*测试|测试.*(?:哪|覆盖)/i,
  uses: /\bhow (?:many|often)\b|\bnumber of\b|^count\b|(?<!是)多少|几个|几次|\b(?:used|usages?|callers?|called|referenced)\b|\b(?:who|what) (?:calls|uses)\b|谁(?:调用|使用|用)|被.*(?:调用|使用|引用)|哪里用/i,
  where: /\bwhere\b|\b(?:which|what) file\b|\blocat|在哪|哪里|哪个文件|位置|什么地方/i,
}
const inFolder = /\b(?:in|under|inside)\s+(?:the\s+)?([\w.-]*\w)|([\w.-]+)\s*(?:文件夹|目录|下|里|中)/i
const kinds: readonly (readonly [RegExp, pattern: string])[] = [
  [/\btests?\b|测试/i, '**/*{.test,.spec,_test,Test}.*'],
  [/\btypescript\b|\btsx? files/i, '**/*.{ts,tsx}'],
  [/\bjavascript\b|\bjsx? files/i, '**/*.{js,jsx,mjs,cjs}'],
  [/\bpython\b|\bpy files/i, '**/*.py'],
  [/\bmarkdown\b|\bmd files|文档/i, '**/*.md'],
]

const endings =
  'tsx?|[mc]ts|jsx?|[mc]js|jsonl?|mdc?|txt|py|go|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|sh|ya?ml|toml|xml|html|s?css|vue|svelte|sql|lock|cfg|ini|env|log|csv|proto|gradle|swift|mtm'
const path = new RegExp(
  String.raw`@\[([^\]\n{:]+)|["\`]([^"\`\n:*?]+(?:/[^"\`\n:*?]*|\.(?:${endings})))["\`]|(?<![\w/:.-])@?((?:[\w.@-]+/)+[\w.@-]*|\.?[\w-][\w.-]*\.(?:${endings}))(?![\w/])`,
  'g',
)

export function isFile(path: string): boolean {
  return /\w\.\w+$/.test(path)
}

function pathsIn(text: string): string[] {
  const found = [...text.matchAll(path)].map((match) => match.slice(1).join('').trim())
  const paths = new Set(found.map((each) => each.replace(/^\.\/|(?<=\w)[./]+$/g, '')))
  // `and/or` is not a folder, and Node.js is not a file.
  const named = [...paths].filter((each) => each.length > 1 && !/^(?:and\/or|[A-Z]\w*\.js)$/.test(each))
  if (named.length > 0 || !asks.files.test(text)) return named.slice(0, 3)
  const folder = inFolder.exec(text)?.slice(1).find(Boolean) ?? ''
  const kind = kinds.find(([words]) => words.test(text))?.[1]
  return [kind ?? (folder === '' || stopWords.has(folder) ? '.' : folder)]
}

const quoted = /`([^`\n]{2,80})`|"([^"\n]{2,80})"|“([^”\n]{2,80})”|「([^」\n]{2,80})」/g
/** camelCase, PascalCase of two parts, snake_case, dotted.name, kebab-name, call(), --flag */
const identifier =
  /(?<![\p{L}\p{N}_.-])(?!(?:Type|Java)Script\b)(?:[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w+_\w+|[A-Za-z]\w+(?:[.-][A-Za-z]\w+)+|[A-Za-z]\w+(?=\(\))|--?[a-z][\w-]+)(?![\p{L}\p{N}_])/gu

function termsIn(text: string): Term[] {
  const quotes = [...text.matchAll(quoted)].map((found) =>
    found.slice(1).join('').trim().replace(/\(\)$/, ''),
  )
  const prose = text
    .replace(quoted, ' ')
    .replace(/\b(?:the|this|our|source) code\b/gi, ' ')
    .replace(/\b([A-Z]\w*)\.js\b/g, '$1')
  const names = new Set([...quotes, ...(prose.match(identifier) ?? [])].filter(Boolean))
  const rest = prose.replace(identifier, ' ')
  const segments = new Intl.Segmenter('zh', { granularity: 'word' }).segment(rest.replace(knownWords, ' '))
  const words = [
    ...(rest.match(knownWords) ?? []),
    ...[...segments].map(({ segment }) => segment.toLowerCase()),
  ].filter((word) => /^[\p{L}\p{N}]{2}|^\p{Script=Han}$/u.test(word) && !stopWords.has(word))
  const stems = new Set(words.map(stem).filter((word) => !stopWords.has(word)))
  return [...[...names].map(nameTerm), ...[...stems].map((word) => ({ forms: formsOf(word) }))].slice(0, 8)
}

export function nameTerm(name: string): Term {
  const low = name.toLowerCase()
  const kebab = name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
  const last = /^[\w.]+\w$/.test(low) ? low.slice(low.lastIndexOf('.') + 1) : low
  return { forms: [...new Set([low, kebab, low.replace(/(?<=\w)-/g, ''), last])], name }
}
