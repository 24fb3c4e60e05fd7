import type { ResultCode } from '@mutsumi/agent'
import type { PhraseTemplates } from '@mutsumi/schema'

/** The results of tools in Chinese, for the lines of cards. */
export const chineseResults: PhraseTemplates<ResultCode> = {
  'empty-file': '空文件',
  'read-lines': '第 {0} 至 {1} 行，共 {2} 行',
  count: '共 {0} {1!}',
  'first-count': '前 {0} {1!}',
  'count-of': '{1} {2!}中的前 {0} 个',
  match: '处匹配',
  matches: '处匹配',
  file: '个文件',
  files: '个文件',
  entry: '个条目',
  entries: '个条目',
  'exit-code': '退出码 {0}',
  'exit-code-lines': '退出码 {0}，{1} {2!}',
  line: '行',
  lines: '行',
  'exit-code-check': '退出码 {0}；它创建或更改了 {1}：请先检查，再信任它们',
}
