import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, run, runJson } from '../support/command.js'

const skill = (description: string) => `---\ndescription: ${description}\n---\nDo it well.\n`

test('T9 L1 H1 context shows the skills in L1: the user’s own always, a workspace’s when it is trusted', async () => {
  const folder = makeFolder({ '.mutsumi/skills/release/SKILL.md': skill('Makes a release') })
  const env = { HOME: makeFolder({ '.agents/skills/letters/SKILL.md': skill('Writes letters') }) }
  const firstLayer = async (...args: string[]) =>
    (await runJson(folder, ['context', 'hi', ...args], { env })).messages[0].content
  const heading = 'Skills. Load one with the Skill tool before you do what it is for.'
  expect(await firstLayer()).toContain(`${heading}\n- letters: Writes letters`)
  expect(await firstLayer()).not.toContain('release: Makes')
  expect(await firstLayer('--trust')).toContain(
    `${heading}\n- letters: Writes letters\n- release: Makes a release`,
  )
  expect((await runJson(folder, ['context', 'hi'])).messages[0].content).not.toContain(heading)
})

test('T9 H1 context reads the files of a skill in the home folder, and nothing else there', async () => {
  const home = makeFolder({
    '.agents/skills/letters/SKILL.md': skill('Writes letters'),
    '.agents/skills/letters/end.md': 'Yours sincerely',
    'secret.txt': 'SECRET',
  })
  const read = (name: string) => `@[Read{"path":${JSON.stringify(join(home, name))}}]`
  const prompt = `${read('.agents/skills/letters/end.md')} ${read('secret.txt')}`
  const { messages, warnings } = await runJson(makeFolder(), ['context', prompt], { env: { HOME: home } })
  expect(messages.at(-1).content).toContain('Yours sincerely')
  expect(messages.at(-1).content).not.toContain('SECRET')
  expect(warnings.map(({ code }: { code: string }) => code)).toEqual(['tool-failed'])
})

test('T9 H1 context says which skill it left out', async () => {
  const folder = makeFolder({ '.mutsumi/skills/broken/SKILL.md': 'no front matter' })
  const { stderr } = await run(folder, ['context', 'hi'])
  expect(stderr).toMatch(
    /^\.mutsumi\/skills\/broken\/SKILL\.md: warning: the skill was left out: .*\[skill-skipped\]\n$/,
  )
})
