import { execFile } from 'node:child_process'

/** What the clipboard has. */
export type ClipboardPicture =
  | { readonly kind: 'picture'; readonly bytes: Uint8Array }
  | { readonly kind: 'none' }
  /** No program is here that could tell; `programs` could. */
  | { readonly kind: 'no-program'; readonly programs: string }

type Environment = Readonly<Record<string, string | undefined>>

/** A way to a picture: a program that writes it, and how it is read from what the program wrote. */
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

/** The picture in the clipboard, by the programs that this desktop has. */
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

/** Undefined where the program is not there; empty where it has nothing to give. */
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
