import type { LazyTool } from '../contract/tool-runner.js'
import type { Skill } from './find-skills.js'
import { skillsPrompt } from './skills-prompt.js'

/**
 * The tools of a session with these skills: Skill lists them for the model, and Read may open the files beside a skill
 * in the home folder. The workspace must have `homeSkillFolders` among its roots. The other tools get no access there:
 * they keep the session's folders.
 */
export function withSkills(tools: readonly LazyTool[], skills: readonly Skill[]): readonly LazyTool[] {
  const list = skillsPrompt(skills)
  const folders = homeSkillFolders(skills)
  return tools.map((tool) => {
    if (tool.name === 'Skill' && list !== '') return { ...tool, prompt: `${tool.prompt}\n${list}` }
    return tool.name === 'Read' && folders.length > 0 ? readingAlso(tool, folders) : tool
  })
}

/** The folders of the user's own skills. */
export function homeSkillFolders(skills: readonly Skill[]): string[] {
  return skills.filter(({ origin }) => origin === 'home').map(({ folder }) => folder)
}

function readingAlso(tool: LazyTool, folders: readonly string[]): LazyTool {
  return {
    ...tool,
    async load() {
      const loaded = await tool.load()
      return {
        ...loaded,
        call: (args, context) => loaded.call(args, { ...context, allowed: [...context.allowed, ...folders] }),
      }
    },
  }
}
