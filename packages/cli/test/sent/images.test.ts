import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeFolder, run } from '../support/command.js'
import { flagsOf, modelServer } from '../support/model-server.js'

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 1])

/** A workspace, and a folder for temporary files with a pasted image and a text in it. */
async function ask(
  prompt: (pasted: string) => string,
  arrange?: (pasted: string, temporary: string) => void,
) {
  const server = await modelServer()
  const temporary = makeFolder()
  const pasted = join(temporary, 'mutsumi_images')
  if (arrange) arrange(pasted, temporary)
  else mkdirSync(pasted)
  if (!arrange) writeFileSync(join(pasted, 'shot.png'), png)
  if (!arrange) writeFileSync(join(pasted, 'notes.txt'), 'SECRET')
  const { stderr } = await run(makeFolder(), ['-p', prompt(pasted), ...flagsOf(server)], {
    env: { TMPDIR: temporary },
  })
  return { body: server.requests[0]?.body ?? '', stderr }
}

const dataUrl = `data:image/png;base64,${png.toString('base64')}`

describe('pasted images in the request that is sent', () => {
  test('I2 I3 an image of that folder is sent if the user’s own text shows it', async () => {
    const { body } = await ask((pasted) => `What is this? ![image](file://${pasted}/shot.png)`)
    expect(body).toContain(dataUrl)
  })

  test('I2 nothing else of that folder is read', async () => {
    const { body, stderr } = await ask(
      (pasted) => `![x](${pasted}/notes.txt) @[${pasted}/notes.txt] @[${pasted}/shot.png] @[${pasted}]`,
    )
    expect(body).not.toContain('SECRET')
    expect(body).not.toContain('base64,')
    expect(stderr).toContain('is outside the folders this session may read')
  })

  test('I2 no link is followed there, neither one in the folder nor one instead of it', async () => {
    const prompt = (pasted: string) => `![x](${pasted}/shot.png)`
    const inside = await ask(prompt, (pasted, temporary) => {
      mkdirSync(pasted)
      writeFileSync(join(temporary, 'private.png'), png)
      symlinkSync(join(temporary, 'private.png'), join(pasted, 'shot.png'))
    })
    const instead = await ask(prompt, (pasted, temporary) => {
      mkdirSync(join(temporary, 'private'))
      writeFileSync(join(temporary, 'private/shot.png'), png)
      symlinkSync(join(temporary, 'private'), pasted)
    })
    for (const { body } of [inside, instead]) expect(body).not.toContain('base64,')
  })
})
