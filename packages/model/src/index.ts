// A model, named by its provider and its own name.
export { openModel, type OpenModelOptions } from './open-model.js'
export { createOfflineModel } from './offline/offline-model.js'
export { openScriptedModel } from './scripted/scripted-model.js'

// The choice of a model: flags, environment and config files.
export {
  resolveModelChoice,
  resolveModelBeside,
  namedModel,
  modelConfigFault,
  type ModelChoice,
  type ProviderChoice,
  type ResolvedModel,
  type NamedModel,
} from './choice/resolve-model-choice.js'
export type { ModelSettings, ChoiceLayer, SettingSource } from './choice/layers.js'
export { listPresets, type Preset } from './choice/presets.js'
export {
  findLocalServers,
  type LocalServer,
  type LocalModel,
  type LocalServerOptions,
} from './choice/local-servers.js'

// Facts about a model, its key and its settings.
export { knownCacheMinutes, modelFacts } from './model-facts.js'
export { keyOrigin, emptyKeyVariables, setKeyVariables } from './choice/key-origin.js'
export { englishFaults, type FaultTemplates } from './faults/fault-words.js'
export { reachModel, type Reach, type ReachOptions } from './reach-model.js'
export { effortProblem } from './providers/reasoning-effort.js'
export type { ProviderName } from './providers/providers.js'
