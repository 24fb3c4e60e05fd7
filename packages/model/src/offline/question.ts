import { type Terms, termsOf } from './terms.js'

/** What the user wants. `about`: nothing that can be searched for. `change`: something that this model cannot do. */
export type Intent = 'about' | 'change' | 'count' | 'explain' | 'file' | 'list' | 'uses' | 'where'

export interface Question extends Terms {
  readonly intent: Intent
  readonly language: 'en' | 'zh'
  /** A pattern for files, where a kind of them is asked for: `**\/*.ts`. */
  readonly glob?: string
  /** The folder that it is about, where it names one. */
  readonly folder?: string
}

export function readQuestion(text: string): Question {
  const terms = termsOf(text)
  const glob = globFor(terms.paths.reduce((left, path) => left.replaceAll(path, ' '), text))
  const folder = folderIn(text, terms.paths)
  return {
    ...terms,
    intent: intentOf(text.trim(), terms, glob),
    language: /\p{Script=Han}/u.test(text) ? 'zh' : 'en',
    ...(glob !== undefined && { glob }),
    ...(folder !== undefined && { folder }),
  }
}

const namedFolder =
  /\b(?:in|of|under|inside)\s+(?:the\s+)?[`"]?([\w.-]+)[`"]?\s+(?:folder|directory)\b|([\w.-]+)\s*(?:文件夹|目录|下的?|里的?|中的?)/i
const usualFolder =
  /\b(?:in|under|inside|列出)\s+(src|lib|tests?|docs?|packages|apps?|scripts|examples|bin|public|config)\b/i

function folderIn(text: string, paths: readonly string[]): string | undefined {
  const path = paths.find((each) => !isFileName(each))
  const named = namedFolder.exec(text)
  return path?.replace(/\/$/, '') ?? named?.[1] ?? named?.[2] ?? usualFolder.exec(text)?.[1]
}

/** Whether a path names a file and not a folder, as far as one can tell. */
export function isFileName(path: string): boolean {
  return /\.\w+$/.test(path)
}

const greeting =
  /^(?:hi|hello|hey|yo|good (?:morning|evening|day)|thanks?|thank you|bye|help|ping|test|你好|您好|嗨|谢谢|再见|帮助|在吗)[\s!.?。！？~]*$/i
const aboutItself =
  /\b(?:who|what) are you\b|\bwhat can you do\b|\bwhat model\b|\bare you (?:an? )?(?:ai|llm|offline|real)\b|你是谁|你是什么|你能做什么|什么模型/i
/** 端口是多少 asks for a value. */
const howMany = /\bhow many\b|\bnumber of\b|^count\b|(?<!是)多少|几个|几行/i
const listing =
  /^(?:please )?(?:list|ls)\b|\bwhat (?:files|folders)\b|\bwhich (?:files|folders) are\b|列出|列举|有哪些文件|有什么文件|目录结构/i
const uses = /\b(?:used|usages?|uses|callers?|calls|called|referenced)\b|被(?:谁)?(?:调用|使用|引用)|哪里用/i
const where = /\bwhere\b|\b(?:which|what) file\b|\blocat|在哪|哪里|哪个文件|位置|什么地方/i
const changing =
  /^(?:please |can you |could you )?(?:fix|add|implement|refactor|rename|change|edit|write|create|delete|remove|update|run|execute|install|build|deploy|commit)\b|^请?(?:帮我)?(?:修复|修改|添加|增加|实现|重构|重命名|删除|更新|运行|执行|安装|提交|写|创建)/i

function intentOf(text: string, { names, words, paths }: Terms, glob: string | undefined): Intent {
  if (text === '' || greeting.test(text) || aboutItself.test(text)) return 'about'
  if (changing.test(text)) return 'change'
  if (howMany.test(text)) return 'count'
  if (listing.test(text)) return 'list'
  if (names.length + words.length + paths.length === 0) return glob === undefined ? 'about' : 'list'
  if (where.test(text)) return uses.test(text) ? 'uses' : 'where'
  if (/^(?:who|what) (?:calls|uses)\b/i.test(text) || /谁(?:调用|使用)/.test(text)) return 'uses'
  if (paths.length > 0) return 'file'
  return 'explain'
}

const kinds: readonly (readonly [RegExp, string])[] = [
  [/\btests?\b(?! (?:that|for|of|in))|测试/i, '**/*{.test,.spec,_test,Test}.*'],
  [/\btypescript\b|\.tsx? files|\bts files/i, '**/*.{ts,tsx}'],
  [/\bjavascript\b|\.jsx? files|\bjs files/i, '**/*.{js,jsx,mjs,cjs}'],
  [/\bpython\b|\.py files/i, '**/*.py'],
  [/\bmarkdown\b|\.md files|\bdocuments?\b|文档/i, '**/*.md'],
  [/\bjson\b/i, '**/*.json'],
  [/\bgo files|\bgolang\b/i, '**/*.go'],
  [/\brust\b/i, '**/*.rs'],
  [/\bjava\b/i, '**/*.java'],
]

/** The kind of files that a question names; other words about them are then searched for. */
function globFor(text: string): string | undefined {
  if (!/\bfiles?\b|\btests?\b|\bdocuments?\b|文件|测试|文档/i.test(text)) return undefined
  return kinds.find(([words]) => words.test(text))?.[1]
}
