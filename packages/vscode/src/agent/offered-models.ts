export { knownModels } from '@mutsumi/host'
