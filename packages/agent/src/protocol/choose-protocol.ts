import type { Model } from '@mutsumi/schema'

/** `react` writes calls as text, `native` as the provider's own tool calls. */
export type ProtocolName = 'react' | 'native'

/** The user's setting. `auto` follows the model. */
export type ProtocolSetting = 'auto' | ProtocolName

/** Native calls for models that are trained for them and text for all others, unless the user chooses one. */
export function chooseProtocol(
  setting: ProtocolSetting,
  { callsTools }: Pick<Model, 'callsTools'>,
): ProtocolName {
  if (setting !== 'auto') return setting
  return callsTools ? 'native' : 'react'
}
