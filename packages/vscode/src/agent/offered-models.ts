// A module of its own: the editor loads it when it is needed, and only this part of the package.
export { knownModels, modelsAt } from '@mutsumi/host'
