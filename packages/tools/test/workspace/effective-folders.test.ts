import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { Workspace } from '../../src/index.js'
import { temporaryFolder } from '../support/temporary-folder.js'

test('L4 A8 the prompt does not name folders that the session cannot read', () => {
  const { path: root } = temporaryFolder({ 'src/a.ts': 'a' })
  const workspace = new Workspace({ root })
  const inside = [root, pathToFileURL(join(root, 'src')).href]
  expect(workspace.scope(inside)).toBe(inside)
  expect(workspace.scope(['file:///etc', join(root, 'src')])).toEqual([join(root, 'src')])
  expect(workspace.scope(['file:///'])).toEqual([pathToFileURL(workspace.root).href])
  const wide = ['file:///etc']
  expect(workspace.scope(wide)).toEqual([])
  expect(new Workspace({ root, roots: ['/etc'] }).scope(wide)).toBe(wide)
})
