/** How often a property is tried: `MUTSUMI_LONG=1` asks for twenty times as many. */
export const runs = (normal: number): number => (process.env.MUTSUMI_LONG === '1' ? normal * 20 : normal)
