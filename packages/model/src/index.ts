export { knownContextWindow } from './choice/context-windows.js'
export { emptyKeyVariables, keyOrigin } from './choice/key-origin.js'
export type { ChoiceLayer, ModelSettings, SettingSource } from './choice/layers.js'
export {
  findLocalServers,
  type LocalModel,
  type LocalServer,
  type LocalServerOptions,
} from './choice/local-servers.js'
export { listPresets, type Preset } from './choice/presets.js'
export {
  type ModelChoice,
  type NamedModel,
  namedModel,
  type ProviderChoice,
  type ResolvedModel,
  resolveModelBeside,
  resolveModelChoice,
} from './choice/resolve-model-choice.js'
export { type ModelFacts, modelFacts } from './model-facts.js'
export { createOfflineModel } from './offline/offline-model.js'
export { type OpenModelOptions, openModel } from './open-model.js'
export type { ProviderName } from './providers/providers.js'
export { effortProblem } from './providers/reasoning-effort.js'
export { openScriptedModel } from './scripted/scripted-model.js'
