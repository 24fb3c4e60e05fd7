import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PermissionGate } from '../../src/permission/permission-gate.js'
import { parsePermissionRules } from '../../src/permission/permission-rule.js'
import { temporaryFolder } from '../support/temporary-folder.js'

function rulesOf(list: string) {
  return parsePermissionRules(list).map((parsed) =>
    parsed.kind === 'rule' ? parsed.rule : expect.fail(parsed.message),
  )
}

const files = { 'ws/src/a.ts': '', 'ws/ls': '', 'ws/tsc': '', 'ws/upstream/HEAD': '', 'ws/sub/Makefile': '' }

/** `/ws` in a line is the workspace. */
function permitter() {
  const folder = temporaryFolder(files)
  const root = folder.at('ws')
  return async (rules: string, line: string) => {
    const command = line.replaceAll('/ws', root)
    const gate = new PermissionGate({
      root,
      rules: [{ allow: rulesOf(rules.replaceAll('/ws', root)), deny: [] }],
      configFolder: folder.at('home/.config/mutsumi'),
      home: folder.at('home'),
    })
    const { granted } = await gate.permit({
      call: { name: 'Bash', args: { command } },
      effect: 'execute',
      touched: { command, confined: true },
      allowed: [root],
    })
    return granted
  }
}

/** Under the rule, each line asks: it names a file of the workspace, or a target, that the rule does not name. */
const asking: readonly (readonly [rule: string, ...lines: readonly string[]])[] = [
  ['Bash(timeout 5 ls)', 'timeout 5 /ws/ls', 'timeout 5 ./ls', 'timeout /ws/5 ls', '/ws/timeout 5 ls'],
  ['Bash(sh -c ls)', 'sh -c /ws/ls', 'sh -c ./ls', '/ws/sh -c ls'],
  ['Bash(xargs ls)', 'xargs /ws/ls', 'xargs ./ls', 'xargs ../ws/ls'],
  ['Bash(env ls)', 'env /ws/ls'],
  ['Bash(nice ls)', 'nice /ws/ls'],
  ['Bash(sudo ls)', 'sudo /ws/ls'],
  ['Bash(npx tsc:*)', 'npx /ws/tsc', 'npx ./tsc', 'npx /ws/./tsc', 'npx file:tsc', 'npx file:///ws/tsc'],
  ['Bash(npx tsc:*)', 'npx github:evil/tsc', 'npx evil/tsc', 'npx -p /ws tsc', 'npx --package=/ws tsc'],
  ['Bash(npx:*)', 'npx /ws/tsc', 'npx ./tsc', 'npx tsc'],
  ['Bash(bunx tsc:*)', 'bunx /ws/tsc'],
  ['Bash(uv run pytest:*)', 'uv run /ws/pytest', 'uv run ./pytest'],
  ['Bash(python -m pytest:*)', 'python -m /ws/pytest', 'python /ws/-m pytest'],
  ['Bash(bundle exec rspec:*)', 'bundle exec /ws/rspec'],
  [
    'Bash(git push:*)',
    'git push /ws/origin',
    'git push ./origin',
    'git push ../x',
    'git push /ws/origin main',
  ],
  ['Bash(git push:*)', 'git push -u /ws/origin main', 'git push file:///ws/origin', 'git push upstream main'],
  ['Bash(git:*)', 'git push /ws/origin', 'git /ws/push', 'git push upstream'],
  ['Bash(git push origin main)', 'git push /ws/origin main'],
  ['Bash(git log:*)', 'git /ws/log', '/ws/git log', './git log'],
  ['Bash(npm test:*)', 'npm /ws/test', '/ws/npm test', 'npm --prefix /ws test', 'npm --prefix=/ws/sub test'],
  ['Bash(npm test:*)', 'npm test --script-shell=/ws/ls', 'npm test --script-shell /ws/ls'],
  ['Bash(npm run build:*)', 'npm run /ws/build', 'npm /ws/run build'],
  [
    'Bash(make test:*)',
    'make test deploy',
    'make deploy',
    'make /ws/test',
    'make test /ws/deploy',
    'make test ./x',
  ],
  [
    'Bash(make test:*)',
    'make test -f evil.mk',
    'make test -C sub',
    'make test SHELL=/ws/ls',
    'make test -j 4 deploy',
  ],
  ['Bash(make -j4 test:*)', 'make -j4 test deploy'],
  ['Bash(make:*)', 'make -C sub', 'make -f evil.mk', 'make SHELL=/ws/ls'],
  ['Bash(mvn test:*)', 'mvn test deploy', 'mvn test exec:java', 'mvn test -f sub', 'mvn test -s x.xml'],
  [
    'Bash(gradle test:*)',
    'gradle test publish',
    'gradle test -I x.gradle',
    'gradle test -b x',
    'gradle test -p sub',
  ],
  ['Bash(./gradlew test:*)', './gradlew test publish', './gradlew test -I x.gradle', '/ws/gradlew test'],
  ['Bash(gmake test:*)', 'gmake test deploy'],
  ['Bash(ninja test:*)', 'ninja test deploy', 'ninja -C sub'],
  ['Bash(ant test:*)', 'ant test deploy', 'ant -f x.xml test'],
  ['Bash(just test:*)', 'just test deploy', 'just -f x test'],
  ['Bash(task test:*)', 'task test deploy'],
  ['Bash(rake test:*)', 'rake test deploy'],
  ['Bash(bazel test:*)', 'bazel test //x //y'],
  ['Bash(cargo test:*)', 'cargo test --config x.toml', 'cargo test --manifest-path sub/Cargo.toml'],
  ['Bash(cargo:*)', 'cargo evil-alias', 'cargo --config x.toml test'],
  ['Bash(go test:*)', 'go test ../other', 'go test ./../other', 'go test ../...', 'go test /ws/../x'],
  ['Bash(dd:*)', 'dd if=src/a.ts of=*', 'dd i*=src/a.ts'],
  ['Bash(npm-run-all test:*)', 'npm-run-all test deploy'],
  ['Bash(npx npm-run-all test:*)', 'npx npm-run-all test deploy'],
  ['Bash(turbo run test:*)', 'turbo run test deploy'],
  ['Bash(npx nx run-many:*)', 'npx nx run-many -t test deploy'],
  ['Bash(invoke test:*)', 'invoke test deploy'],
  ['Bash(tox -e py:*)', 'tox -e py,deploy'],
  ['Bash(meson test:*)', 'meson test -C sub'],
  ['Bash(cmake --build build:*)', 'cmake --build build --target deploy'],
]

const allowed: readonly (readonly [rule: string, ...lines: readonly string[]])[] = [
  ['Bash(npm test:*)', 'npm test', 'npm test -- src/a.ts', 'npm test -- /ws/src/a.ts'],
  ['Bash(git push:*)', 'git push origin main', 'git push', 'git push -u origin main'],
  ['Bash(git push origin main)', 'git push origin main'],
  ['Bash(timeout 5 ls src)', 'timeout 5 ls src'],
  ['Bash(timeout 5 /ws/ls)', 'timeout 5 /ws/ls'],
  ['Bash(sh -c ls)', 'sh -c ls'],
  ['Bash(npx tsc:*)', 'npx tsc --noEmit', 'npx tsc --noEmit src/a.ts'],
  ['Bash(ls:*)', 'ls /ws/src', 'ls -la /ws/src'],
  ['Bash(node:*)', 'node /ws/src/a.ts'],
  ['Bash(git log:*)', 'git log -- /ws/src/a.ts'],
  ['Bash(make:*)', 'make', 'make test', 'make -j 4 test', 'make test deploy'],
  ['Bash(make test:*)', 'make test', 'make test -j4', 'make test -j 4', 'make test -k'],
  ['Bash(make -C sub test)', 'make -C sub test'],
  ['Bash(mvn:*)', 'mvn clean test'],
  ['Bash(./gradlew:*)', './gradlew clean test'],
  ['Bash(./scripts/check.sh:*)', './scripts/check.sh src/a.ts'],
  ['Bash(cargo test:*)', 'cargo test some_name'],
  ['Bash(dotnet test:*)', 'dotnet test src/a.csproj'],
  ['Bash(go test:*)', 'go test ./...', 'go test -run TestA ./sub/...'],
  ['Bash(dd:*)', 'dd if=/dev/zero of=big.bin bs=1k count=1'],
]

describe("a rule's own words", () => {
  test('Z7 the table has more than forty lines', () => {
    expect(asking.flatMap(([, ...lines]) => lines).length).toBeGreaterThan(80)
  })

  test.for(asking)(
    'Z7 do not mean a file of the workspace or a further target: %s',
    async ([rule, ...lines]) => {
      const permits = permitter()
      const approved = []
      for (const line of lines) if (await permits(rule, line)) approved.push(line)
      expect(approved).toEqual([])
    },
  )

  test.for(allowed)('Z7 cover what they name: %s', async ([rule, ...lines]) => {
    const permits = permitter()
    const refused = []
    for (const line of lines) if (!(await permits(rule, line))) refused.push(line)
    expect(refused).toEqual([])
  })

  test('Z7 with any beginning that makes a path or an address of one of them, the rule does not cover the line', async () => {
    const permits = permitter()
    const commands = [...asking, ...allowed].map(([rule]) =>
      rule.replace(/^Bash\(|(?::\*)?\)$/g, '').split(' '),
    )
    const beginning = fc.constantFrom(
      ...[
        '/ws/',
        './',
        '././',
        '../ws/',
        '/ws/./',
        '/ws//',
        '/ws/sub/../',
        'sub/../',
        '~/',
        'file:',
        'file:./',
      ],
      ...[
        'file:///ws/',
        'github:',
        'git+file:///ws/',
        'npm:x@',
        'link:',
        'ext::',
        'host:',
        '/ws/src/',
        '-C/ws/',
      ],
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...commands),
        fc.nat(10),
        beginning,
        fc.constantFrom('', ':*'),
        async (words, chosen, before, ending) => {
          const at = chosen % words.length
          const line = words.map((word, index) => (index === at ? before + word : word)).join(' ')
          expect([line, await permits(`Bash(${words.join(' ')}${ending})`, line)]).toEqual([line, false])
        },
      ),
      { numRuns: 300 },
    )
  })

  test('Z7 after them, nothing that names a path is a program, a package, a remote or a target', async () => {
    const permits = permitter()
    const runners = [
      'npx',
      'bunx',
      'uvx',
      'uv run',
      'poetry run',
      'bundle exec',
      'python -m',
      'git push',
      'env',
      'xargs',
    ]
    const rules = [
      ...runners,
      'timeout 5',
      'sh -c',
      'nice',
      'sudo',
      'make test',
      'mvn test',
      './gradlew test',
      'npm exec',
    ]
    const path = fc.constantFrom('/ws/', './', '../ws/', '/ws/sub/', '~/', 'file:', 'sub/')
    const name = fc.constantFrom('ls', 'tsc', 'origin', 'vitest', 'pytest', 'test', 'main')
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...rules), path, name, async (words, before, last) => {
        const line = `${words} ${before}${last}`
        expect([line, await permits(`Bash(${words}:*)`, line)]).toEqual([line, false])
      }),
      { numRuns: 200 },
    )
  })
})
