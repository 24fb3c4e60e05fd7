import { bundle } from './build.mjs'

// Tests that start the real command must not meet yesterday's bundle.
export default bundle
