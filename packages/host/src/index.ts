// The parts that every program around an agent shares: the command and the notebook are made with them. In the order
// of a run: where and with which settings, which model, which tools, then what people see while it works.

// A place to work in, and the config files that apply there.
export { type OpenedWorkspace, openWorkspace, type Place, userRules } from './place/open-workspace.js'
export { checkConfigFolder } from './place/own-config.js'
export {
  type TrustDecision,
  decisionOf,
  type JudgedProject,
  judgeProject,
  type Project,
  readProject,
  trustedPlace,
} from './place/folder-trust.js'
export {
  assignmentsOf,
  type ConfigFiles,
  configPaths,
  examineConfigFiles,
  readConfigFiles,
  readConfigOf,
} from './config/config-files.js'
export { changeConfig, withoutValue, withValue } from './config/change-config.js'

export { aboutPlace, orAnotherModel } from './ground/failure-words.js'

// Settings: one by one, then those of a whole run.
export {
  type Assignment,
  failureOf,
  flagAssignments,
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
export {
  givenSettings,
  namesOf,
  projectRequirement,
  type SettledRun,
  settingsOf,
  settledRun,
} from './config/settled-run.js'
export { readRules, storedRuleProblems } from './config/permission-rules.js'

// The model that answers, and its price.
export {
  chooseModels,
  type ChosenModels,
  configuredModels,
  type ModelFlags,
  type OfflineReason,
  offlineNote,
  type RunNeeds,
} from './models/choose-model.js'
export { asConfigured, configuredModel, fitted } from './models/configured-model.js'
export { type KnownModel, knownModels, modelsAt } from './models/known-models.js'
export { type ModelPrices, priceAt } from './config/model-prices.js'
export { type AskedModel, type CostSettings, costOf } from './config/token-cost.js'

// Tools, servers and the gate, then the agent that works with them.
export {
  namesServers,
  openOwnTools,
  openToolbox,
  type Toolbox,
  type ToolboxOptions,
  withServers,
} from './run/toolbox.js'
export { examineServers, type ServerFinding, workspaceServers } from './run/mcp-servers.js'
export { agentOptions } from './run/agent-options.js'
export { type NothingReason, whyNothing } from './run/nothing-to-compact.js'

// Calls and their changes, shown to people.
export { argumentOf } from './changes/call-argument.js'
export { type ChangePreview, previewChange } from './changes/preview-change.js'
export { type UndoLimit, undoLimit } from './changes/undo-limit.js'
export { copiesOfFork, noteMoved, withItsCopies } from './changes/session-copies.js'
export { recordedResult, type ShownResult } from './changes/recorded-result.js'
export { readableFields } from './changes/readable-json.js'
export { commandOutput, type ShownOutput, isFailedExit } from './changes/command-output.js'

// The gate's reasons in a person's language.
export {
  localEnd,
  localFault,
  localLine,
  localQuestion,
  localRefusal,
  localWarning,
} from './words/local-words.js'

// Completion of prompts.
export { type CompletionSite, completionSite } from './completion/completion-site.js'
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
export { BestPaths, indexedPath } from './completion/best-paths.js'
export { type FoundPaths, PathIndex } from './completion/path-index.js'
export { knownMacros } from './completion/known-macros.js'

// Failures, and words that can be copied into a shell.
export { Failure, UsageError } from './ground/failure.js'
export { shellPath, shellWord } from './ground/shell-word.js'
