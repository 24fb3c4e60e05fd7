import type { Question } from './question.js'
import type { CitedLine } from './tool-result.js'

/** A question that a field of the project's manifest answers. */
export interface Topic {
  readonly name?: 'dependencies' | 'entry' | 'license' | 'maintainers' | 'runtime' | 'scripts' | 'version'
  readonly asks: RegExp
  /** Words that such a question may hold. Any other word makes it a question about something else. */
  readonly words: RegExp
  /** The line of a manifest that answers. */
  readonly field: RegExp
}

/** The files that say what a project is, the most telling first. */
export const manifests = [
  /^package\.json$/,
  /^pyproject\.toml$/,
  /^Cargo\.toml$/,
  /^go\.mod$/,
  /^composer\.json$/,
  /\.gemspec$/,
  /^setup\.(?:cfg|py)$/,
  /^pom\.xml$/,
  /^build\.gradle(?:\.kts)?$/,
  /^mix\.exs$/,
  /^Gemfile$/,
  /^requirements\.txt$/,
]

/** The first that fits. */
const topics: readonly Topic[] = [
  {
    asks: /\bdev\w*[ -]dependenc|\bdependenc\w* .*\bdev/i,
    words: /^(?:dev|develop|depend|requir)/,
    field:
      /^\s{1,4}"devDependencies"|^\[dev-dependencies\]|^\[dependency-groups\]|^\[tool\.poetry\.group|^dev\s*=/,
  },
  {
    name: 'dependencies',
    asks: /\bdependenc|\bdepends? on\b|\b(?:librar|package|crate|module|gem)\w*\b.*\b(?:uses?|needs?|requires?)\b|依赖/i,
    words: /^(?:depend|requir|librar|packag|crate|gem|direct|runtim|need|third|part|extern)/,
    field:
      /^\s{1,4}"(?:dependencies|require)"\s*:|^\[(?:tool\.poetry\.)?dependencies\]|^dependencies\s*[={]|^require\b|^\s*install_requires|^\s*<dependencies>|^\s*gem ["']|add_(?:runtime_)?dependency|^\s*defp? deps\b|^\[workspace\.dependencies\]/,
  },
  {
    name: 'scripts',
    asks: /\bscripts\b|\b(?:which|what) (?:npm )?(?:commands|targets)\b|脚本/i,
    words: /^(?:script|npm|command|cli|target|make|defin|avail|exist|offer)/,
    field: /^\s{1,4}"scripts"\s*:|^\[(?:project|tool\.poetry)\.scripts\]|^[\w-]+:(?![=\w/])/,
  },
  {
    name: 'runtime',
    asks: /\b(?:node|python|rust|go|golang|ruby|php|java|rustc|msrv)\b.{0,30}\bversions?\b|\bversions? of (?:node|python|rust|go|ruby|php|java)|\bmsrv\b|\b(?:node|python|rust|ruby|php)\b.*\b(?:need|requir|support|run on)|(?:node|python|rust|go|ruby|php|java).*版本/i,
    words:
      /^(?:node|python|rust|go|golang|rubi?|php|java|rustc|msrv|vers|need|requir|support|minim|low|old|least|compil|language|engin)|版本/,
    field:
      /^\s*"(?:node|php)"\s*:\s*"[^"/]*\d|^requires-python|^python\s*=|^rust-version\b|^go \d|required_ruby_version|python_requires|<(?:java\.version|maven\.compiler\.(?:source|release))>|sourceCompatibility/,
  },
  {
    name: 'version',
    asks: /\bversion\b|版本/i,
    words: /^(?:vers|current|latest|now|releas)|版本/,
    field: /^\s{1,4}"version"\s*:|^\s*version\s*=\s*["']|^\s*<version>/,
  },
  {
    name: 'license',
    asks: /\blicen[cs]|许可/i,
    words: /^(?:licen[cs]|under|releas|publish|distribut)|许可/,
    field: /^\s{1,4}"license"\s*:|^license\s*=|<license>|\.licenses?\s*=/,
  },
  {
    name: 'maintainers',
    asks: /\bmaintain(?:s|ed|ers?)\b|维护者/i,
    words: /^(?:maintain|lead|current)|维护/,
    field: /^\s{1,4}"maintainers"\s*:|^maintainers\s*=/,
  },
  {
    asks: /\bauthors?\b|\bwho (?:wrote|made|created)\b|作者/i,
    words: /^(?:author|wrote|creat|made|origin)|作者/,
    field: /^\s{1,4}"(?:authors?|contributors)"\s*:|^authors\s*=|\.authors?\s*=|<developers>/,
  },
  {
    name: 'entry',
    asks: /\bentry ?points?\b|\bmain (?:file|module|entry)\b|入口/i,
    words: /^(?:entri|entry|point|start|launch|main|begin|program|binari)|入口/,
    field:
      /^\s{1,4}"(?:main|bin|exports|module)"\s*:|^\[\[bin\]\]|^\[(?:project|tool\.poetry)\.scripts\]|^default-run/,
  },
  {
    asks: /\b(?:homepage|home page|website|bug tracker|issue tracker|repository url)\b|\bwhere .*\b(?:hosted|report)\b/i,
    words: /^(?:home|page|websit|bug|issu|track|repositori|url|host|report|sourc)/,
    field:
      /^\s{1,4}"(?:homepage|repository|bugs)"\s*:|^(?:homepage|repository)\s*=|^\[project\.urls\]|^\s*<url>/,
  },
]

/** Undefined if the question names something that is not in the manifest, where its words may be found. */
export function topicOf({ text, kind, terms, paths }: Question): Topic | undefined {
  if (paths.length > 0 && paths[0] !== '.') return undefined
  // "Where are dependencies resolved?" is about code.
  const topic = topics.find(({ asks }) => asks.test(text))
  return topic && (kind !== 'where' || isOnly(topic, terms)) ? topic : undefined
}

/** Whether all words of the question are the topic's, or the project's own name. */
export function isOnly({ words }: Pick<Topic, 'words'>, terms: Question['terms'], own = ''): boolean {
  return terms.every(({ forms: [form = ''] }) => words.test(form) || own.includes(form))
}

/** `"name": "express"`, `module github.com/gin-gonic/gin`. */
export function ownName(lines: readonly CitedLine[]): string {
  const named = lines.filter(({ text }) => /^\s*"?(?:name|module)\b/.test(text))
  return named.map(({ text }) => text.toLowerCase()).join('\n')
}
