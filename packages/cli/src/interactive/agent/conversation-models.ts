import {
  type ChosenModels,
  chooseModels,
  configuredModel,
  orAnotherModel,
  type RunNeeds,
  type SettledRun,
} from '@mutsumi/host'
import { factsOfModel, type Model, type ModelFault } from '@mutsumi/schema'
import type { PromptOptions } from '../../commands/prompt.js'
import { sayFault } from '../../words/say.js'

/** The models of a conversation, with what the named one lacks. */
export interface ConversationModels extends ChosenModels {
  readonly lack?: string
}

/**
 * Like `chooseModels`, but a model without its key or address ends nothing: the conversation opens, each round ends with
 * that fault, and `/model` chooses another.
 */
export async function conversationModels(
  options: Pick<PromptOptions, 'model' | 'baseUrl'>,
  run: SettledRun,
  needs: RunNeeds,
): Promise<ConversationModels> {
  try {
    return await chooseModels(options, run.config, needs)
  } catch (error) {
    const lack = await lackOf(options, run)
    if (lack === undefined) throw error
    return { model: unusable(await configuredModel(run, options), lack), lack: sayFault(lack) }
  }
}

/** Undefined if the model can be asked. A name that is wrong is reported by `configuredModel`. */
async function lackOf(
  { model, baseUrl }: Pick<PromptOptions, 'model' | 'baseUrl'>,
  { config, trusted }: SettledRun,
): Promise<ModelFault | undefined> {
  const { namedModel, resolveModelChoice } = await import('@mutsumi/model')
  const settings = {
    flags: { ...(model !== undefined && { model }), ...(baseUrl !== undefined && { baseUrl }) },
    ...{ environment: process.env, userConfig: config.user, projectConfig: config.project, trusted },
  }
  return namedModel(settings).named && resolveModelChoice(settings).fault
}

function unusable(model: Model, lack: ModelFault): Model {
  const fault = orAnotherModel(lack)
  return {
    ...factsOfModel(model),
    ...(model.providerRequest && { providerRequest: model.providerRequest }),
    async *stream() {
      yield { type: 'fault', fault }
    },
  }
}
