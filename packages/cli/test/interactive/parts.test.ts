import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PermissionQuestion } from '@mutsumi/tools'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../test/support/property-runs.js'
import { PromptHistory } from '../../src/interactive/agent/prompt-history.js'
import { finishedCard } from '../../src/interactive/cards/tool-card.js'
import type { CommandWorld } from '../../src/interactive/commands/command.js'
import {
  commandCompleter,
  habitualCommand,
  offeredCommands,
  slashCommands,
  typedCommand,
} from '../../src/interactive/commands/slash-commands.js'
import { drawConversation } from '../../src/interactive/conversation/draw-conversation.js'
import {
  type Answering,
  type OpenQuestion,
  openQuestion,
  pressQuestion,
} from '../../src/interactive/conversation/question.js'
import { choiceLines, questionLines } from '../../src/interactive/conversation/question-lines.js'
import { strayLines, userMessage } from '../../src/interactive/conversation/user-message.js'
import { emptyEditor, withText } from '../../src/interactive/editor/editor.js'
import type { Input } from '../../src/interactive/keys/input.js'
import { editOutside } from '../../src/interactive/screen/external-editor.js'
import { type Line, lineText } from '../../src/interactive/text/span.js'
import { lineWidth } from '../../src/interactive/text/truncate.js'
import { chinese } from '../../src/interactive/words/chinese.js'
import { allNames, ourNameFor } from '../../src/interactive/words/command-names.js'
import { english } from '../../src/interactive/words/english.js'
import { makeFolder } from '../support/command.js'

const texts = (lines: readonly Line[]) => lines.map(lineText)
const world = { width: 40, entries: [], label: () => '[pasted]' }
const key = (name: string): Input => ({ kind: 'key', name })
const text = (typed: string): Input => ({ kind: 'text', text: typed })

const bash: PermissionQuestion = {
  call: { name: 'Bash', args: { command: 'rm -r build\necho done' } },
  effect: 'execute',
  touched: { command: 'rm -r build\necho done', confined: false },
  allowed: [],
  reason: 'no rule allows rm -r build',
  reasons: {
    whole: { code: 'no-rule', args: ['rm -r build'] },
    parts: [{ code: 'no-rule-for-part', args: [] }, undefined],
  },
  parts: [{ text: 'rm -r build', reason: 'no rule allows it' }, { text: 'echo done' }],
  lasting: [['Bash(rm -r build)'], ['Bash(rm -r build)', 'Bash(echo:*)']],
  keptIn: '/home/me/permissions.json',
}

function answer(question: PermissionQuestion, ...inputs: readonly Input[]): Answering {
  let state: OpenQuestion = openQuestion(question)
  for (const input of inputs) {
    const answering = pressQuestion(state, input, world)
    if (answering.kind === 'answered') return answering
    if (answering.kind === 'passed') continue
    state = answering.question
  }
  return { kind: 'open', question: state }
}

test('A8 H1 in a Chinese terminal the reasons of a question and a refusal are Chinese', () => {
  const lines = texts(questionLines(bash, { root: '/ws', width: 60, words: chinese }))
  expect(lines).toContain('        没有规则允许它')
  expect(lines.join('\n')).not.toContain('no rule')
  const card = { id: 'c1', name: 'Bash', argument: 'rm', since: 0, output: '' }
  const line = 'Bash can execute and was not permitted: the user said no'
  const said = { code: 'user-said-no', args: [] }
  const phrase = { code: 'not-permitted', args: ['Bash', { code: 'execute', args: [] }, said] }
  const end = { status: 'error', line, phrase, timeMs: 1 } as const
  const shown = (words: typeof chinese) => lineText(finishedCard(card, end, { width: 100, words }))
  expect(shown(chinese)).toBe('✗ Bash rm  Bash（会运行命令）未获许可：用户拒绝了')
  expect(shown(english)).toBe(`✗ Bash rm  ${line}`)
})

test('A8 a question says what, where and why, and its command is never cut', () => {
  const long = `echo ${'x'.repeat(100)}`
  const lines = texts(
    questionLines(
      {
        ...bash,
        touched: { command: long, confined: false },
        parts: [{ text: long, reason: 'no rule allows it' }],
      },
      { root: '/ws', width: 30, words: english },
    ),
  )
  expect(lines).toContain(`  $ ${long}`)
  expect(lines.join(' ')).toMatch(
    /Bash asks for your[\s\S]*Where: \/ws[\s\S]*no rule allows[\s\S]*No sandbox/,
  )
})

test('A8 the choices name the exact rules that a lasting yes adds, however narrow the screen', () => {
  const { lines, at } = choiceLines(
    { ...openQuestion(bash), chosen: 2 },
    { width: 24, words: english, isAnswering: true },
  )
  expect(texts(lines).join('').replace(/\s+/g, '')).toContain(
    'addsBash(rm-rbuild)to/home/me/permissions.json)',
  )
  expect(lineText(lines[at] ?? [])).toMatch(/^▸ 3\. /)
  for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(24)
  expect(openQuestion({ ...bash, lasting: [] }).choices).toEqual(['once', 'no'])
})

test('A8 a question reveals what a command hides: unusual spaces, and letters of another alphabet', () => {
  const shown = (command: string) =>
    texts(
      questionLines({ ...bash, touched: { command }, parts: [] }, { root: '/ws', width: 80, words: english }),
    )
  expect(shown('echo\u00a0a\u3164\u2800 b\r\nls')).toEqual(
    expect.arrayContaining(['  $ echo\\u00a0a\\u3164\\u2800 b\\u000d', '    ls']),
  )
  expect(shown('\u0430pt install \uff0fx')).toContain(
    'Caution, these only look like plain characters: \u0430 U+0430, \uff0f U+FF0F',
  )
  expect(shown('cat 说明.md файл.txt ❤️.md').join('\n')).not.toContain('Caution')
})

test('A8 too many rules to read are not offered, and the chosen answer is always visible', () => {
  const many = Array.from({ length: 120 }, (_, index) => `Bash(command-${index} --flag)`)
  expect(openQuestion({ ...bash, lasting: [many] })).toMatchObject({ choices: ['once', 'no'], offers: [] })
  let question = openQuestion({ ...bash, lasting: [many.slice(0, 30)] })
  for (const mark of ['1.', '2.', '3.', '4.']) {
    const state = {
      editor: emptyEditor,
      queue: [],
      todos: [],
      status: { model: 'm', round: 0, queued: 0 },
      work: 'working',
      isAnswering: true,
      question,
    } as const
    const { lines, cursor } = drawConversation(state, {
      ...{ size: { columns: 40, rows: 16 }, words: english, label: () => '', entries: [] },
      ...{ live: () => [], opening: () => [] },
    })
    expect(lines.length).toBeLessThan(16)
    expect(lineText(lines[cursor.row] ?? [])).toContain(`▸ ${mark}`)
    question = { ...question, chosen: question.chosen + 1 }
  }
})

test('A8 the question for the reason of a no has its own words', () => {
  const answering = answer(bash, text('4'))
  const question = answering.kind === 'open' ? answering.question : undefined
  expect(question?.reason).toBeDefined()
  const state = {
    editor: emptyEditor,
    queue: [],
    todos: [],
    status: { model: 'm', round: 0, queued: 0 },
    work: 'working',
    isAnswering: true,
    ...(question && { question }),
  } as const
  const { lines } = drawConversation(state, {
    ...{ size: { columns: 80, rows: 16 }, words: english, label: () => '', entries: [] },
    ...{ live: () => [], opening: () => [] },
  })
  const shown = texts(lines).join('\n')
  expect(shown).toContain('Esc goes back to the question')
  expect(shown).not.toMatch(/Esc cancels|Ask something/)
})

test('H1 help is in columns, or in lines if there is no room', async () => {
  const shown = async (width: number) => {
    const printed: Line[] = []
    const help = slashCommands.find(({ name }) => name === 'help')
    const offered = () => offeredCommands(english)
    await help?.run(
      {
        words: english,
        width,
        print: (lines: readonly Line[]) => void printed.push(...lines),
        offered,
      } as unknown as CommandWorld,
      '',
    )
    for (const line of printed) expect(lineWidth(line)).toBeLessThanOrEqual(width)
    return texts(printed)
  }
  const wide = await shown(100)
  const columnOf = (name: string, about: string) =>
    wide.find((line) => line.startsWith(`  ${name}  `))?.indexOf(`  ${about.slice(0, 8)}`)
  const columns = offeredCommands(english).map(({ name, about }) => columnOf(`/${name}`, about))
  expect(new Set(columns).size).toBe(1)
  expect(new Set(english.commands.keys.map(([name, about]) => columnOf(name, about))).size).toBe(1)
  const narrow = await shown(40)
  expect(narrow.join('\n')).toContain('  Esc\n      cancel the round')
})

test('A8 a command line is shown in parts: allowed parts are dim, the others say why they ask', () => {
  const parts = [
    { text: 'npm test' },
    { text: 'git push\u001b[2J', reason: 'no rule allows it' },
    { text: "echo 'a\nb'", reason: 'no rule allows it' },
  ]
  const lines = questionLines({ ...bash, parts }, { root: '/ws', width: 60, words: english })
  expect(texts(lines).slice(3, -1)).toEqual([
    '    ✓ npm test',
    '    ? git push\\u001b[2J',
    '        no rule allows it',
    "    ? echo 'a",
    "      b'",
    '        no rule allows it',
    'Where: /ws',
  ])
  expect(lines[3]?.map(({ style }) => style)).toEqual([{ dim: true }, { dim: true }])
  const asked = { ...bash, parts, lineReason: 'it would run elsewhere', agent: 'Look around' }
  const all = texts(questionLines(asked, { root: '/ws', width: 60, words: english }))
  expect(all).toContain('Why you are asked: it would run elsewhere')
  expect(all[1]).toBe('Who: the sub-agent for "Look around"')
})

test('A8 the rule of a lasting yes is the narrowest; arrows choose a wider one, and back', () => {
  expect(answer(bash, key('right'), text('3'), key('enter'))).toMatchObject({
    answer: { yes: 'always', choice: 1 },
  })
  expect(answer(bash, key('right'), key('right'), text('2'))).toMatchObject({
    answer: { yes: 'session', choice: 1 },
  })
  expect(answer(bash, key('right'), key('left'), key('left'), text('3'), key('enter'))).toMatchObject({
    answer: { yes: 'always', choice: 0 },
  })
  const { lines } = choiceLines(
    { ...openQuestion(bash), offer: 1 },
    { width: 120, words: english, isAnswering: true },
  )
  expect(texts(lines)).toEqual([
    '▸ 1. Yes, this once',
    '  2. Yes, for this session (adds Bash(rm -r build), Bash(echo:*))',
    '  3. Yes, always in this workspace (adds Bash(rm -r build), Bash(echo:*) to /home/me/permissions.json)',
    '  4. No, and say why',
    '  ← → choose the rule that 2 and 3 add:',
    '     ○ Bash(rm -r build)',
    '     ● Bash(rm -r build), Bash(echo:*)',
  ])
})

test('P1 A8 answers are given by number or arrows, always is confirmed, and a no has its reason', () => {
  expect(answer(bash, text('1'))).toMatchObject({ answer: 'once' })
  expect(answer(bash, text('3'), key('enter'))).toMatchObject({ answer: { yes: 'always', choice: 0 } })
  expect(answer(bash, key('down'), key('enter'))).toMatchObject({ answer: { yes: 'session', choice: 0 } })
  expect(answer(bash, key('up'), key('enter'), key('enter'))).toMatchObject({ answer: 'no' })
  expect(answer(bash, text('4'), text('not '), text('that'), key('enter'))).toMatchObject({
    answer: { no: 'not that' },
  })
  expect(answer(bash, text('4'), text('y'), key('escape'), text('1'))).toMatchObject({ answer: 'once' })
  expect(answer({ ...bash, lasting: [] }, text('3'))).toMatchObject({ kind: 'open' })
  expect(answer(bash, text('3'))).toMatchObject({ question: { isConfirming: true } })
  const back = answer(bash, text('3'), key('escape'), key('up'))
  expect(back).toMatchObject({ kind: 'open', question: { chosen: 1 } })
})

test('A8 nothing but an answer allows anything', () => {
  const other = fc.oneof(
    fc.string({ minLength: 2, maxLength: 5 }).map(text),
    fc.string({ maxLength: 20 }).map((pasted): Input => ({ kind: 'paste', text: pasted })),
    fc
      .constantFrom('escape', 'left', 'right', 'backspace', 'ctrl+a', 'f1', 'ctrl+j', 'alt+enter', 'space')
      .map(key),
  )
  fc.assert(
    fc.property(fc.array(other, { maxLength: 10 }), (inputs) => {
      // Two characters at once are no choice: `12` is neither 1 nor 2.
      const plain = inputs.filter((input) => input.kind !== 'text' || Number.isNaN(Number(input.text)))
      expect(answer(bash, ...plain).kind).toBe('open')
    }),
    { numRuns: runs(200) },
  )
})

test('H1 a slash command is recognized by its name, and leads to ours by a name from habit', () => {
  expect(typedCommand('/context  what is this')).toMatchObject({
    command: { name: 'context' },
    argument: 'what is this',
  })
  expect(typedCommand('/etc/hosts is a file')).toBeUndefined()
  expect(typedCommand('what is /help')).toBeUndefined()
  const habitual = (name: string) => habitualCommand({ name, words: 'x' }, english)
  expect(habitual('clear')).toMatchObject({ command: { name: 'new' }, argument: 'x' })
  for (const name of ['exit', 'q', 'cost', 'rewind', 'status', 'memory', 'reset', 'continue'])
    expect(habitual(name)).toMatchObject({ command: { name: expect.stringMatching(/^\w+$/) } })
  expect(habitual('hlep')).toBe('there is no command /hlep; did you mean /help? /help lists all')
  expect(habitual('config')).toContain('mutsumi config')
  const elsewhere = 'hooks todos ide agents bashes bug output-style statusline terminal-setup release-notes'
  for (const name of elsewhere.split(' ')) {
    expect(habitual(name), name).toEqual(expect.any(String))
    expect(habitual(name), name).not.toContain('did you mean')
  }
  expect(habitual('zzzzzz')).toBeUndefined()
  const offered = commandCompleter(() => offeredCommands(chinese))({ text: '/', cursor: 1 })
  expect(offered?.items.map((item) => item.text)).toEqual(slashCommands.map(({ name }) => `/${name}`))
  const named = commandCompleter(() => offeredCommands(english))({ text: '/cle', cursor: 4 })
  expect(named?.items).toEqual([{ text: '/clear', detail: 'begin a new session' }])
  expect(commandCompleter(() => offeredCommands(english))({ text: '/help me', cursor: 8 })).toBeUndefined()
})

test('H1 every command that a name from habit leads to exists, and no name leads to two', () => {
  const ours = slashCommands.map(({ name }) => name)
  const habitual = allNames.filter((name) => !ours.includes(name))
  for (const name of habitual)
    expect([name, ours]).toEqual([name, expect.arrayContaining([ourNameFor(name)])])
  expect(new Set(allNames).size).toBe(allNames.length)
})

test('H1 prompts are kept for the next conversation, readable only by the user', () => {
  const file = join(makeFolder(), 'mutsumi', 'prompts.jsonl')
  const first = new PromptHistory(file)
  for (const prompt of ['one', 'two\nlines', 'one', 'one', 'x'.repeat(30_000)]) first.add(prompt)
  expect(first.prompts.slice(1)).toEqual(['one', 'two\nlines'])
  expect(new PromptHistory(file).prompts).toEqual(['one', 'two\nlines'])
  expect(statSync(file).mode & 0o077).toBe(0)
})

test('H1 a damaged or unreadable file of prompts does no harm', () => {
  const folder = makeFolder({ 'prompts.jsonl': '"good"\n{broken\n42\n"cut' })
  expect(new PromptHistory(join(folder, 'prompts.jsonl')).prompts).toEqual(['good'])
  mkdirSync(join(folder, 'dir.jsonl'))
  const blocked = new PromptHistory(join(folder, 'dir.jsonl'))
  blocked.add('still there')
  expect(blocked.prompts).toEqual(['still there'])
  const forgetful = new PromptHistory(undefined)
  forgetful.add('in memory')
  expect(forgetful.prompts).toEqual(['in memory'])
})

test('H1 a large file of prompts is rewritten', () => {
  const file = join(makeFolder(), 'prompts.jsonl')
  writeFileSync(file, `${JSON.stringify('y'.repeat(10_000))}\n`.repeat(250))
  const history = new PromptHistory(file)
  history.add('new')
  expect(statSync(file).size).toBeLessThan(20_000)
  expect(new PromptHistory(file).prompts).toEqual(['new', 'y'.repeat(10_000)])
})

test('H1 the user’s prompt stays as typed, and text from others is made safe for the terminal', () => {
  expect(texts(userMessage('one\ntwo\u0007', 20))).toEqual(['', '› one', '  two\\u0007', ''])
  expect(texts(strayLines('a warning\u001b[2J\n', 40))).toEqual(['a warning\\u001b[2J'])
  expect(texts(strayLines('\r\u001b[2K', 40))).toEqual([])
})

test('H1 an external editor changes the text, and a failing one gives its reason', () => {
  expect(editOutside('draft', { EDITOR: 'printf changed >' })).toEqual({ kind: 'edited', text: 'changed' })
  expect(editOutside('draft', { VISUAL: 'false', EDITOR: 'true' })).toMatchObject({ kind: 'fault' })
  const look = `const { readFileSync, statSync, writeFileSync } = require('node:fs')
const [, , file] = process.argv
writeFileSync(file, readFileSync(file, 'utf8') + ' ' + (statSync(file).mode & 0o077))`
  const folder = makeFolder({ 'look.cjs': look })
  const edited = editOutside('for nobody else', { EDITOR: `"${process.execPath}" ${folder}/look.cjs` })
  expect(edited).toEqual({ kind: 'edited', text: 'for nobody else 0' })
})

const manyTodos = Array.from({ length: 20 }, (_, index) => ({
  content: `task ${index} ${'漢'.repeat(index)}`,
  status: 'pending' as const,
}))

test('P1 H1 the live region fits its screen, whatever is open, and shows the draft', () => {
  const questions = [undefined, openQuestion(bash), { ...openQuestion(bash), reason: emptyEditor }]
  fc.assert(
    fc.property(
      fc.integer({ min: 20, max: 120 }),
      fc.integer({ min: 8, max: 40 }),
      fc.constantFrom(...questions),
      fc.array(fc.record({ text: fc.string(), shown: fc.string({ maxLength: 50 }), steers: fc.boolean() }), {
        maxLength: 6,
      }),
      fc.constantFrom([], manyTodos),
      fc.constantFrom('', 'draft'),
      (columns, rows, question, queue, todos, draft) => {
        const { lines, cursor } = drawConversation(
          {
            editor: withText(emptyEditor, draft),
            isAnswering: question !== undefined && draft === '',
            queue,
            todos,
            status: { model: 'test/model', round: 3, room: { used: 10, threshold: 100 }, queued: 0 },
            work: 'working',
            ...(question && { question }),
          },
          {
            size: { columns, rows },
            words: english,
            label: world.label,
            entries: [],
            opening: () => [],
            live: (_, most) => Array.from({ length: most }, () => [{ text: 'live' }]),
          },
        )
        for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(columns)
        if (!question) expect(lines.length).toBeLessThan(rows)
        expect(
          texts(lines)
            .slice(1 - rows)
            .join('\n'),
        ).toContain(draft)
        expect(cursor.row).toBeLessThan(lines.length)
      },
    ),
    { numRuns: runs(150) },
  )
})
