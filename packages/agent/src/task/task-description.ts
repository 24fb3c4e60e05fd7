/** What is known of Task before its code is loaded. */
export const taskDescription = {
  name: 'Task',
  // What a sub-agent does to files and commands goes through the same gate, call by call.
  effect: 'read',
  prompt:
    'Task: has a sub-agent do a part of the work and report; those in more run at the same time. subagent_type: general, or explore, plan, review (read-only).\n{"description": "short title", "prompt": "all it needs to know", "subagent_type": "explore", "more": [{"description": …}]}',
} as const
