// Each scenario is a person's actions and the results that they must see. Each has its own session.
import { contextScenarios } from './scenarios/context.mjs'
import { editScenarios } from './scenarios/edits.mjs'
import { fileScenarios } from './scenarios/files.mjs'
import { folderScenarios } from './scenarios/folders.mjs'
import { languageScenarios } from './scenarios/language.mjs'
import { lookScenarios, tourScenarios } from './scenarios/looks.mjs'
import { modelScenarios } from './scenarios/models.mjs'
import { pictureScenarios } from './scenarios/pictures.mjs'
import { promptScenarios } from './scenarios/prompts.mjs'
import { questionScenarios } from './scenarios/questions.mjs'
import { recordScenarios } from './scenarios/record.mjs'
import { roundScenarios } from './scenarios/rounds.mjs'
import { speedScenarios } from './scenarios/speed.mjs'
import { trustScenarios } from './scenarios/trust.mjs'
import { featureScenarios } from './scenarios-features.mjs'

export const scenarios = [
  ...tourScenarios,
  ...promptScenarios,
  ...roundScenarios,
  ...questionScenarios,
  ...recordScenarios,
  ...editScenarios,
  ...fileScenarios,
  ...contextScenarios,
  ...languageScenarios,
  ...pictureScenarios,
  ...featureScenarios,
  ...modelScenarios,
  ...folderScenarios,
  ...trustScenarios,
  ...lookScenarios,
  ...speedScenarios,
]
