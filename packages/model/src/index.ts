export {
  findLocalServers,
  type LocalModel,
  type LocalServer,
  type LocalServerOptions,
} from './choice/local-servers.js'
export {
  type Layer,
  type ModelChoice,
  type ModelSettings,
  type ProviderChoice,
  type ResolvedModel,
  resolveModelChoice,
  type SettingSource,
} from './choice/resolve-model-choice.js'
export { createOfflineModel } from './offline/offline-model.js'
export { type OpenModelOptions, openModel } from './open-model.js'
export type { ProviderName } from './providers/providers.js'
export { openScriptedModel } from './scripted/scripted-model.js'
