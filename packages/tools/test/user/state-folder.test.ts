import { expect, it } from 'vitest'
import { userStateFolder } from '../../src/user/user-config.js'

it.each([
  [{}, '/home/me/.local/state/mutsumi'],
  [{ XDG_STATE_HOME: '/state' }, '/state/mutsumi'],
  [{ XDG_STATE_HOME: 'state' }, '/home/me/.local/state/mutsumi'],
  [{ MUTSUMI_CONFIG_DIR: '/own', XDG_STATE_HOME: '/state' }, '/own/state'],
  [{ MUTSUMI_STATE_DIR: '/kept', MUTSUMI_CONFIG_DIR: '/own' }, '/kept'],
  [{ MUTSUMI_STATE_DIR: 'kept' }, '/home/me/.local/state/mutsumi'],
])(
  'Z4 the state folder is the user’s own, and no relative path moves it into a project: %o',
  (env, folder) => {
    expect(userStateFolder(env, '/home/me')).toBe(folder)
  },
)
