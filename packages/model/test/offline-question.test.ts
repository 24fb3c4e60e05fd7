import { describe, expect, it } from 'vitest'
import { readQuestion } from '../src/offline/question.js'
import { stem } from '../src/offline/terms.js'

describe('what a question wants', () => {
  it.for([
    ['Where is the config loaded?', 'where'],
    ['which file holds the tests for login', 'where'],
    ['Where is parseReply used?', 'uses'],
    ['Who calls parseReply?', 'uses'],
    ['谁调用 parseReply？', 'uses'],
    ['What is a ghost block?', 'explain'],
    ['How does compaction work?', 'explain'],
    ['What does src/a.ts do?', 'file'],
    ['explain @[src/a.ts:1:20]', 'file'],
    ['List the files in src', 'list'],
    ['what files are there', 'list'],
    ['列出所有文件', 'list'],
    ['How many tests are there?', 'count'],
    ['一共有多少个文件', 'count'],
    ['端口是多少？', 'explain'],
    ['有多少行代码', 'count'],
    ['Fix the login', 'change'],
    ['请修改登录页面', 'change'],
    ['run the tests', 'change'],
    ['Hello!', 'about'],
    ['what can you do', 'about'],
    ['你好', 'about'],
    ['   ', 'about'],
  ] as const)('A6 %j is understood as %s', ([text, intent]) => {
    expect(readQuestion(text).intent).toBe(intent)
  })
})

describe('what a question is about', () => {
  it.for([
    ['Where is the ghost block rendered?', { words: ['ghost', 'block', 'render'] }],
    ['What is parseReply() for?', { names: ['parseReply'], words: [] }],
    ['Where is MAX_STEPS and user_name?', { names: ['MAX_STEPS', 'user_name'] }],
    ['Where do we say `no such file`?', { names: ['no such file'] }],
    ['Where are API keys removed?', { names: [], words: ['api', 'key', 'remov'] }],
    ['How many TODO are there?', { names: ['TODO'] }],
    ['What is in src/app/main.ts and "my notes.txt"?', { paths: ['my notes.txt', 'src/app/main.ts'] }],
    ['look into packages/context please', { paths: ['packages/context'] }],
    ['see https://example.org/a and this and/or that', { paths: [] }],
    ['会话在哪里保存？', { words: ['session', 'save', '会话', '保存'] }],
    ['上下文窗口是什么', { words: ['context', 'window', '上下', '下文', '文窗', '窗口'] }],
  ] as const)('A6 %j', ([text, terms]) => {
    expect(readQuestion(text)).toMatchObject(terms)
  })

  it.for([
    ['rendered', 'render'],
    ['rendering', 'render'],
    ['running', 'run'],
    ['keys', 'key'],
    ['classes', 'class'],
    ['compaction', 'compact'],
    ['summaries', 'summar'],
    ['session', 'session'],
    ['process', 'process'],
    ['string', 'string'],
  ] as const)('A6 the stem of %s is %s', ([word, expected]) => {
    expect(stem(word)).toBe(expected)
  })
})
