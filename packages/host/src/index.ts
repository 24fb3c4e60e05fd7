// What every host of the agent needs: the command and the notebook are made with it.

export { argumentOf } from './changes/call-argument.js'
export { type ChangePreview, previewChange } from './changes/preview-change.js'
export { type UndoLimit, type UndoLimitOptions, undoLimit } from './changes/undo-limit.js'
export { type ResultText, recordedResult, type ShownResult } from './changes/recorded-result.js'
export { BestPaths, type IndexedPath, indexedPath, scorePath } from './completion/best-paths.js'
export { type CompletionSite, completionSite } from './completion/completion-site.js'
export { knownMacros, type RulesReader } from './completion/known-macros.js'
export {
  commandOffers,
  type Macros,
  macroOffers,
  mentionOffer,
  namesTool,
  type Offer,
  type OfferedTool,
  referenceOffer,
  toolOffers,
} from './completion/offers.js'
export { type FoundPaths, PathIndex, type PathIndexOptions } from './completion/path-index.js'
export {
  assignmentsOf,
  type ConfigFault,
  type ConfigFiles,
  configPaths,
  examineConfigFiles,
  type Note,
  readConfigFiles,
  readConfigOf,
} from './config/config-files.js'
export { changeConfig, withoutValue, withValue } from './config/change-config.js'
export { readRules, storedRuleProblems, unknownServerTool } from './config/permission-rules.js'
export {
  type GivenSettings,
  givenSettings,
  namesOf,
  projectRequirement,
  type SettledRun,
  settingsOf,
  settledRun,
} from './config/settled-run.js'
export {
  type Assignment,
  environmentAssignments,
  failureMessage,
  flagAssignments,
  type ModelTimeouts,
  misspeltVariables,
  modelSettingNames,
  otherConfigNames,
  type RunSettings,
  readSetting,
  readSettings,
  roundsOrTokens,
  runDefaults,
  type SettingValue,
  settingFault,
  settingNames,
  settingValue,
  unknownSetting,
} from './config/settings.js'
export { type ModelPrice, type ModelPrices, priceAt, readModelPrices } from './config/model-prices.js'
export { Failure, UsageError } from './ground/failure.js'
export { shellPath, shellWord } from './ground/shell-word.js'
export {
  type ChosenModels,
  chooseModels,
  configuredModels,
  type ModelFlags,
  type ModelNeeds,
  type OfflineReason,
  offlineNote,
  openScript,
  type RunNeeds,
} from './models/choose-model.js'
export { type AsConfigured, asConfigured, configuredModel, fitted } from './models/configured-model.js'
export {
  type SandboxOptions,
  type OpenedWorkspace,
  openWorkspace,
  type Place,
  userRules,
} from './place/open-workspace.js'
export { type AgentNeeds, agentOptions } from './run/agent-options.js'
export {
  examineServers,
  type ServerFinding,
  type ServerFindings,
  workspaceServers,
} from './run/mcp-servers.js'
export {
  type Gate,
  type GatePlace,
  openToolbox,
  type RuleFlags,
  type Toolbox,
  type ToolboxOptions,
} from './run/toolbox.js'
