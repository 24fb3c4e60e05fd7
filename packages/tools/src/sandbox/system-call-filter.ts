/**
 * The program with which the kernel checks each system call of a command (seccomp, classic BPF); undefined for a
 * processor whose numbers are not in the table. Everything that is not named here stays allowed: the filter closes gaps
 * of mounts and namespaces, it does not replace them.
 */
export function systemCallFilter(architecture: string = process.arch): Uint8Array | undefined {
  const table = tables[architecture]
  return table === undefined ? undefined : encode(programFor(table))
}

interface CallTable {
  /** The kernel's number for the processor in `seccomp_data`. */
  readonly audit: number
  /** Numbers from here on belong to another way of calling (x32). */
  readonly end: number
  readonly numbers: Readonly<Record<CallName, number> & Partial<Record<OlderCall, number>>>
}

const refusedCalls = [
  // Keys of the user's account, which no namespace separates.
  'add_key',
  'request_key',
  'keyctl',
  // Access to the kernel's internals.
  'bpf',
  'perf_event_open',
  'userfaultfd',
  // Mounts, and files by handle instead of by path.
  'mount',
  'umount2',
  'pivot_root',
  'open_tree',
  'move_mount',
  'fsopen',
  'fsconfig',
  'fsmount',
  'fspick',
  'mount_setattr',
  'setns',
  'open_by_handle_at',
  // The machine itself.
  'kexec_load',
  'kexec_file_load',
  'init_module',
  'finit_module',
  'delete_module',
  'swapon',
  'swapoff',
  'reboot',
  'acct',
  'syslog',
] as const

/**
 * Programs use another call if the kernel does not support these. Their arguments are in memory that a filter cannot
 * read.
 */
const unknownCalls = ['clone3', 'openat2', 'io_uring_setup', 'io_uring_enter', 'io_uring_register'] as const

/** The argument positions of a file's mode and, if the call may create a file, of its flags. */
const modeCalls = {
  chmod: { mode: 1 },
  fchmod: { mode: 1 },
  fchmodat: { mode: 2 },
  fchmodat2: { mode: 2 },
  creat: { mode: 1 },
  mknod: { mode: 1 },
  mknodat: { mode: 2 },
  open: { mode: 2, flags: 1 },
  openat: { mode: 3, flags: 2 },
} as const satisfies Record<string, { readonly mode: number; readonly flags?: number }>

/** Newer processors have no call of these names. */
type OlderCall = 'chmod' | 'creat' | 'mknod' | 'open'

type CallName =
  | (typeof refusedCalls)[number]
  | (typeof unknownCalls)[number]
  | Exclude<keyof typeof modeCalls, OlderCall>
  | 'unshare'
  | 'clone'
  | 'socket'
  | 'socketpair'
  | 'ioctl'

/** From Linux's own headers: `asm/unistd_64.h` and `asm-generic/unistd.h`. */
const tables: Readonly<Record<string, CallTable>> = {
  x64: {
    audit: 0xc000003e,
    end: 0x40000000,
    numbers: {
      ...{ add_key: 248, request_key: 249, keyctl: 250, bpf: 321, perf_event_open: 298, userfaultfd: 323 },
      ...{ mount: 165, umount2: 166, pivot_root: 155, setns: 308, open_by_handle_at: 304 },
      ...{ kexec_load: 246, kexec_file_load: 320, init_module: 175, finit_module: 313, delete_module: 176 },
      ...{ swapon: 167, swapoff: 168, reboot: 169, acct: 163, syslog: 103 },
      ...{ unshare: 272, clone: 56, socket: 41, socketpair: 53, ioctl: 16 },
      ...{ chmod: 90, fchmod: 91, fchmodat: 268, creat: 85, mknod: 133, mknodat: 259, open: 2, openat: 257 },
      ...newerCalls(),
    },
  },
  arm64: {
    audit: 0xc00000b7,
    end: 0x40000000,
    numbers: {
      ...{ add_key: 217, request_key: 218, keyctl: 219, bpf: 280, perf_event_open: 241, userfaultfd: 282 },
      ...{ mount: 40, umount2: 39, pivot_root: 41, setns: 268, open_by_handle_at: 265 },
      ...{ kexec_load: 104, kexec_file_load: 294, init_module: 105, finit_module: 273, delete_module: 106 },
      ...{ swapon: 224, swapoff: 225, reboot: 142, acct: 89, syslog: 116 },
      ...{ unshare: 97, clone: 220, socket: 198, socketpair: 199, ioctl: 29 },
      ...{ fchmod: 52, fchmodat: 53, mknodat: 33, openat: 56 },
      ...newerCalls(),
    },
  },
}

/** Since Linux 5.1 all processors share their numbers. */
function newerCalls() {
  return {
    ...{ io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427 },
    ...{ open_tree: 428, move_mount: 429, fsopen: 430, fsconfig: 431, fsmount: 432, fspick: 433 },
    ...{ clone3: 435, openat2: 437, mount_setattr: 442, fchmodat2: 452 },
  }
}

/** One step of the program: `struct sock_filter`. */
interface Step {
  readonly code: number
  readonly ifTrue?: number
  readonly ifFalse?: number
  readonly value: number
}

const errors = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const

const newUserNamespace = 0x10000000

/** Set-user-id and set-group-id: the program runs with its owner's rights, which outside means the user or root. */
const setIdBits = 0o6000

/** `O_CREAT`, and `O_TMPFILE` without the bit that means a folder: a file that gets its name later. */
const createFlags = 0o100 | 0o20000000

/**
 * Local sockets, IPv4, IPv6, and the socket that the C library needs for network interfaces. Not VSOCK, which leads to
 * the host.
 */
const socketFamilies = [1, 2, 10, 16]

/** Typing into another terminal: TIOCSTI and TIOCLINUX. */
const terminalRequests = [0x5412, 0x541c]

function programFor({ audit, end, numbers }: CallTable): Step[] {
  return [
    load(architectureAt),
    ...unless(equals(audit), [answer('ENOSYS')]),
    load(numberAt),
    ...when(atLeast(end), [answer('ENOSYS')]),
    ...refusedCalls.flatMap((name) => when(equals(numbers[name]), [answer('EPERM')])),
    ...unknownCalls.flatMap((name) => when(equals(numbers[name]), [answer('ENOSYS')])),
    ...[numbers.unshare, numbers.clone].flatMap((number) =>
      when(equals(number), [
        load(argumentAt(0)),
        ...when(hasBit(newUserNamespace), [answer('EPERM')]),
        allow,
      ]),
    ),
    ...[numbers.socket, numbers.socketpair].flatMap((number) =>
      when(equals(number), [
        load(argumentAt(0)),
        ...socketFamilies.flatMap((family) => when(equals(family), [allow])),
        answer('EAFNOSUPPORT'),
      ]),
    ),
    ...Object.entries(modeCalls).flatMap(([name, places]) =>
      modeSteps(numbers[name as keyof typeof modeCalls], places),
    ),
    ...when(equals(numbers.ioctl), [
      load(argumentAt(1)),
      ...terminalRequests.flatMap((request) => when(equals(request), [answer('EPERM')])),
      allow,
    ]),
    allow,
  ]
}

/** If a call to open creates no file, its mode argument is undefined. */
function modeSteps(
  number: number | undefined,
  { mode, flags }: { readonly mode: number; readonly flags?: number },
): Step[] {
  if (number === undefined) return []
  return when(equals(number), [
    ...(flags === undefined ? [] : [load(argumentAt(flags)), ...unless(hasBit(createFlags), [allow])]),
    load(argumentAt(mode)),
    ...when(hasBit(setIdBits), [answer('EPERM')]),
    allow,
  ])
}

const numberAt = 0
const architectureAt = 4

/** The lower half: both processors put it first, and the kernel reads no more of these arguments. */
function argumentAt(index: number): number {
  return 16 + 8 * index
}

function load(offset: number): Step {
  return { code: 0x20, value: offset }
}

function answer(error: keyof typeof errors): Step {
  return { code: 0x06, value: 0x00050000 | errors[error] }
}

const allow: Step = { code: 0x06, value: 0x7fff0000 }

interface Condition {
  readonly code: number
  readonly value: number
}

function equals(value: number): Condition {
  return { code: 0x15, value }
}

function atLeast(value: number): Condition {
  return { code: 0x35, value }
}

function hasBit(value: number): Condition {
  return { code: 0x45, value }
}

function when(condition: Condition, steps: readonly Step[]): Step[] {
  return [{ ...condition, ifFalse: steps.length }, ...steps]
}

function unless(condition: Condition, steps: readonly Step[]): Step[] {
  return [{ ...condition, ifTrue: steps.length }, ...steps]
}

/** Eight bytes per step, in little-endian order, which both processors use. */
function encode(steps: readonly Step[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(steps.length * 8))
  steps.forEach(({ code, ifTrue = 0, ifFalse = 0, value }, index) => {
    view.setUint16(index * 8, code, true)
    view.setUint8(index * 8 + 2, ifTrue)
    view.setUint8(index * 8 + 3, ifFalse)
    view.setUint32(index * 8 + 4, value, true)
  })
  return new Uint8Array(view.buffer)
}
