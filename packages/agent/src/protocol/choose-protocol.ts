import type { Model } from '@mutsumi/schema'

/** How calls are spelled: as text, or as the provider's own tool calls. */
export type ProtocolName = 'react' | 'native'

/** What a user may set; `auto` leaves it to the model. */
export type ProtocolSetting = 'auto' | ProtocolName

/** Text for every model but those that are trained for calls of their own, unless the user says otherwise. */
export function chooseProtocol(
  setting: ProtocolSetting,
  { callsTools }: Pick<Model, 'callsTools'>,
): ProtocolName {
  if (setting !== 'auto') return setting
  return callsTools ? 'native' : 'react'
}
