import text from '../prompts/accepted-plan.md'

/** The message that accepts a plan. */
export const acceptedPlan = text.trim()
