import { execFile } from 'node:child_process'

/** The picture in the clipboard, or the reason why there is none. */
export type ClipboardPicture =
  | { readonly kind: 'picture'; readonly bytes: Uint8Array }
  | { readonly kind: 'none' }
  /** No program that can read the clipboard is installed. `programs` names those that could. */
  | { readonly kind: 'no-program'; readonly programs: string }

type Environment = Readonly<Record<string, string | undefined>>

/** A program that writes the picture, and a function that reads the picture from its output. */
interface Way {
  readonly program: string
  readonly args: readonly string[]
  readonly read?: (output: Buffer) => Uint8Array
}

const pngAsHex = 'get the clipboard as «class PNGf»'

function waysOf(platform: NodeJS.Platform, { WAYLAND_DISPLAY, DISPLAY }: Environment): readonly Way[] {
  if (platform === 'darwin')
    return [
      { program: 'pngpaste', args: ['-'] },
      { program: 'osascript', args: ['-e', pngAsHex], read: fromHex },
    ]
  if (platform === 'win32') return []
  return [
    ...(WAYLAND_DISPLAY ? [{ program: 'wl-paste', args: ['--no-newline', '--type', 'image/png'] }] : []),
    ...(DISPLAY ? [{ program: 'xclip', args: ['-selection', 'clipboard', '-t', 'image/png', '-o'] }] : []),
  ]
}

/** Reads the picture in the clipboard with the programs of this desktop. */
export async function clipboardPicture(
  platform: NodeJS.Platform,
  environment: Environment,
): Promise<ClipboardPicture> {
  const outputs = []
  for (const way of waysOf(platform, environment)) {
    const output = await outputOf(way)
    const bytes = output && (way.read?.(output) ?? output)
    if (bytes && bytes.length > 0) return { kind: 'picture', bytes }
    if (output) outputs.push(output)
  }
  if (outputs.length > 0) return { kind: 'none' }
  return { kind: 'no-program', programs: platform === 'darwin' ? 'pngpaste' : 'wl-paste, xclip' }
}

/** Undefined if the program is not installed. Empty if the clipboard has no picture. */
function outputOf({ program, args }: Way): Promise<Buffer | undefined> {
  const options = { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024, timeout: 5000 } as const
  return new Promise((resolve) => {
    execFile(program, [...args], options, (error, stdout) => {
      const isMissing = error !== null && 'code' in error && error.code === 'ENOENT'
      resolve(isMissing ? undefined : error ? Buffer.alloc(0) : stdout)
    })
  })
}

/** `«data PNGf89504E47…»` */
function fromHex(output: Buffer): Uint8Array {
  const [, hex = ''] = /«data \w{4}([0-9A-Fa-f]+)»/.exec(output.toString('utf8')) ?? []
  return Buffer.from(hex, 'hex')
}
