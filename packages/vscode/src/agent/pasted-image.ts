export { storePastedImage } from '@mutsumi/tools/parts'
