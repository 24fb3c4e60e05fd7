import { describe, expect, it } from 'vitest'
import { readQuestion } from '../../src/offline/question.js'
import { stem } from '../../src/offline/words.js'

describe('what a question wants', () => {
  it.for([
    ['Where is the config loaded?', 'where'],
    ['which file holds the login', 'where'],
    ['Where is parseReply used?', 'uses'],
    ['Who calls parseReply?', 'uses'],
    ['谁调用 parseReply？', 'uses'],
    ['How many TODO are there?', 'uses'],
    ['Which tests cover the login?', 'tests'],
    ['where is the login tested', 'tests'],
    ['哪些测试覆盖了登录？', 'tests'],
    ['What is a ghost block?', 'what'],
    ['How does compaction work?', 'how'],
    ['How do I run the tests?', 'how'],
    ['Which Node.js version do I need?', 'fact'],
    ['端口是多少？', 'what'],
    ['Hello!', 'about'],
    ['what can you do', 'about'],
    ['你好', 'about'],
    ['   ', 'about'],
  ] as const)('A6 %j is understood as %s', ([text, kind]) => {
    expect(readQuestion(text).kind).toBe(kind)
  })
})

describe('what a question is about', () => {
  const formsOf = (text: string) => readQuestion(text).terms.map(({ forms }) => forms[0])

  it.for([
    ['Where is the ghost block rendered?', ['ghost', 'block', 'render']],
    ['Where is the code that renders it?', ['render']],
    ['Which exit codes are there?', ['exit', 'code']],
    ['What is parseReply() for?', ['parsereply']],
    ['Where is MAX_STEPS and user_name?', ['max_steps', 'user_name']],
    ['Where do we say `no such file`?', ['no such file']],
    ['Where are API keys removed?', ['api', 'key', 'delet']],
    ['What does --output-schema do?', ['--output-schema']],
    ['see https://example.org/a and this and/or that', ['example.org', 'https']],
    ['会话在哪里保存？', ['session', 'sav']],
    ['上下文窗口是什么', ['context', '窗口']],
    ['会计科目在哪里？', ['会计科目']],
    ['数据库连接在哪里？', ['database', 'connect']],
  ] as const)('A6 %j: %j', ([text, forms]) => {
    expect(formsOf(text)).toEqual(forms)
  })

  it.for([
    ['What is in src/app/main.ts and "my notes.txt"?', ['src/app/main.ts', 'my notes.txt']],
    ['look into packages/context please', ['packages/context']],
    ['What does @src/main.ts do, and @"a b.ts"?', ['src/main.ts', 'a b.ts']],
    ['explain @[src/a.ts:1:20]', ['src/a.ts']],
    ['What is in .mutsumi/config.json?', ['.mutsumi/config.json']],
    ['Which Node.js do I need, this and/or that?', []],
    ['How many files match src/*.ts?', ['src/*.ts']],
    ['What is this project?', ['.']],
    ['Tell me about this repo', ['.']],
    ['这个项目是做什么的？', ['.']],
    ['How many files are in the project?', ['.']],
  ] as const)('A6 %j names the paths %j', ([text, paths]) => {
    expect(readQuestion(text).paths).toEqual(paths)
  })

  it.for([
    ['rendered', 'render'],
    ['rendering', 'render'],
    ['running', 'run'],
    ['parsed', 'pars'],
    ['keys', 'key'],
    ['classes', 'class'],
    ['compaction', 'compact'],
    ['summaries', 'summar'],
    ['summary', 'summar'],
    ['retry', 'retry'],
    ['session', 'session'],
    ['process', 'process'],
    ['string', 'string'],
  ] as const)('A6 the stem of %s is %s', ([word, expected]) => {
    expect(stem(word)).toBe(expected)
  })
})
