import type { ContentPart, Warning } from '@mutsumi/schema'
import { WorkspaceView } from '../documents/workspace-view.js'
import type { Ports } from '../ground/ports.js'
import { type ContextLimits, defaultSettings } from '../ground/settings.js'
import * as images from '../items/images.js'
import { toFileUri } from '../text/file-uri.js'

export interface PromptImageOptions {
  /** Folders that may be read. Absent: the workspace. */
  readonly allowedUris?: readonly string[]
  readonly limits?: ContextLimits
  /** Called with every picture that stays as it is written. */
  readonly onWarning?: (warning: Warning) => void
}

/** The image functions with the signatures of the design documents. */
export interface PromptImages {
  /** Image parts and the texts between them, in order; the text itself if it has no readable picture. */
  parseUserMessageWithImages(text: string): Promise<string | readonly ContentPart[]>
  /** A picture as a data URL. Addresses on the web pass through. Throws for anything else. */
  readImageAsBase64(uri: string): Promise<string>
}

/** Binds the host's reader. Each call reads the files as they are then. */
export function createPromptImages(
  { reader }: Pick<Ports, 'reader'>,
  { allowedUris, limits = defaultSettings.limits, onWarning }: PromptImageOptions = {},
): PromptImages {
  const view = () => new WorkspaceView(reader, allowedUris ?? [toFileUri(reader.root)], limits)
  return {
    async parseUserMessageWithImages(text) {
      const { content, warnings } = await images.parseUserMessageWithImages(text, view())
      for (const warning of warnings) onWarning?.(warning)
      return content
    },
    async readImageAsBase64(uri) {
      const image = await images.readImageAsBase64(uri, view())
      if ('problem' in image) throw new Error(`${uri}: ${image.problem}`)
      return image.url
    },
  }
}

/** The same as single functions, for a host that passes its ports each time. */
export function parseUserMessageWithImages(
  text: string,
  ports: Pick<Ports, 'reader'>,
  options?: PromptImageOptions,
): Promise<string | readonly ContentPart[]> {
  return createPromptImages(ports, options).parseUserMessageWithImages(text)
}

export function readImageAsBase64(
  uri: string,
  ports: Pick<Ports, 'reader'>,
  options?: PromptImageOptions,
): Promise<string> {
  return createPromptImages(ports, options).readImageAsBase64(uri)
}
