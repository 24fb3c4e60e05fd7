import { parseReply, ReplyReader } from '@mutsumi/react-text'
import { factsOfModel, type Model, type ModelEvent } from '@mutsumi/schema'

const waitMs = 150

/**
 * A model whose text is reported while it arrives, with its words so far. They are empty if events show them, or if they
 * may be a call. A reply in text protocol without its marks is an answer, but that is certain only at its end.
 */
export function heardModel(model: Model, heard: (draft: string) => void): Model {
  return {
    ...factsOfModel(model),
    stream: (request, options) => listenedTo(model.stream(request, options), heard),
  }
}

async function* listenedTo(
  events: AsyncIterable<ModelEvent>,
  heard: (draft: string) => void,
): AsyncGenerator<ModelEvent> {
  let reader = new ReplyReader()
  let isShown = false
  let timer: NodeJS.Timeout | undefined
  try {
    for await (const event of events) {
      if (event.type === 'retry') {
        reader = new ReplyReader()
        isShown = false
      }
      if (event.type === 'text') {
        const { thought, answer } = reader.add(event.text)
        isShown ||= thought !== '' || answer !== ''
        // Reading it after every letter would take too long.
        timer ??= setTimeout(() => {
          timer = undefined
          heard(isShown ? '' : wordsIn(reader.text))
        }, waitMs)
      }
      yield event
    }
  } finally {
    clearTimeout(timer)
  }
}

/** The text of a reply that is no call so far. */
function wordsIn(text: string): string {
  if (/^\s*(?:```\w*\s*)?[[{]/.test(text)) return ''
  const parsed = parseReply(text)
  return parsed.kind === 'answer' ? parsed.text : ''
}
