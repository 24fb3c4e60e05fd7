import { type CalledCommand, calledWith } from '../agent/user-commands.js'
import type { CommandWorld, SlashCommand } from './command.js'

/** Asks for the parameters of a user's own command, one by one, then sends it. Esc cancels. */
export function askingFor(called: CalledCommand, typed: string): SlashCommand {
  return {
    name: called.command.name,
    about: () => called.command.description,
    run: (world) => run(world, called, typed),
  }
}

async function run(world: CommandWorld, called: CalledCommand, typed: string): Promise<void> {
  const { command, missing } = called
  const values: string[] = []
  for (const param of missing) {
    const given = command.params.length - missing.length + values.length
    const places = command.params.map((name, index) => (index === given ? `▸${name}` : name)).join(' ')
    const title = world.words.commands.askParam(`/${command.name} ${places}`, command.description)
    const value = await world.ask.write({ title, placeholder: param })
    if (value === undefined) return world.setInput(typed)
    values.push(value.trim())
  }
  world.send(calledWith(called, values))
}
