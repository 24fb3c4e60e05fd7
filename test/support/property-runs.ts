import fc from 'fast-check'

// A submission must not fail on a rare case that was there before it. So CI tries the same cases every time, and
// everybody else's machine tries new ones.
if (process.env.CI) fc.configureGlobal({ seed: 20_261_118 })

/** How often a property is tried: `MUTSUMI_LONG=1` asks for twenty times as many. */
export const runs = (normal: number): number => (process.env.MUTSUMI_LONG === '1' ? normal * 20 : normal)
