export { knownContextWindow } from './choice/context-windows.js'
export type { Layer, ModelSettings, SettingSource } from './choice/layers.js'
export {
  findLocalServers,
  type LocalModel,
  type LocalServer,
  type LocalServerOptions,
} from './choice/local-servers.js'
export {
  type ModelChoice,
  type ProviderChoice,
  type ResolvedModel,
  resolveModelBeside,
  resolveModelChoice,
} from './choice/resolve-model-choice.js'
export { createOfflineModel } from './offline/offline-model.js'
export { type OpenModelOptions, openModel } from './open-model.js'
export type { ProviderName } from './providers/providers.js'
export { openScriptedModel } from './scripted/scripted-model.js'
