import { bundle } from './build.mjs'

// Tests that start the real command must not use an old bundle.
export default bundle
