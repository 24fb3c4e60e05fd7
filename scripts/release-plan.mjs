// Plans the changes of a release: versions, the changelog, the addresses in the manifests. release.mjs carries them out.

/** The version to release: the current one if the changelog does not have it yet, else the next. */
export function nextVersion(current, changelog, wanted = 'patch') {
  if (/^\d+\.\d+\.\d+$/.test(wanted)) return wanted
  if (!hasVersion(changelog, current)) return current
  const [major, minor, patch] = current.split('.').map(Number)
  switch (wanted) {
    case 'major':
      return `${major + 1}.0.0`
    case 'minor':
      return `${major}.${minor + 1}.0`
    case 'patch':
      return `${major}.${minor}.${patch + 1}`
    default:
      throw new Error(`"${wanted}" is not patch, minor, major or a version like 1.2.3`)
  }
}

const unreleased = '## Unreleased\n'

/** The changelog's entries for the next release. */
export function unreleasedChanges(changelog) {
  const [, after] = changelog.split(unreleased)
  if (after === undefined) throw new Error('CHANGELOG.md has no "## Unreleased"')
  return after.split(/^## /m)[0].trim()
}

/** The changelog after a release: its changes have a version and a day, and a new empty section is on top. */
export function releasedChangelog(changelog, version, day) {
  return changelog.replace(unreleased, `${unreleased}\n## ${version} (${day})\n`)
}

function hasVersion(changelog, version) {
  return changelog.split('\n').some((line) => line === `## ${version}` || line.startsWith(`## ${version} (`))
}

/** A manifest, or an entry of package-lock.json, with the new version of all our packages. */
export function withVersion(manifest, version) {
  const changed = { ...manifest, ...(manifest.version && { version }) }
  for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'])
    if (manifest[kind] !== undefined)
      changed[kind] = Object.fromEntries(
        Object.entries(manifest[kind]).map(([name, range]) => [
          name,
          name.startsWith('@mutsumi/') ? version : range,
        ]),
      )
  return changed
}

/** Adds the address of the sources, which only the repository's own package.json contains. */
export function withRepository(manifest, repository, directory) {
  const url = typeof repository === 'string' ? repository : repository.url
  return { ...manifest, repository: { type: 'git', url, directory } }
}

/** Packages in the order in which they can be published: each after those that it needs. */
export function publishOrder(manifests) {
  const ordered = []
  const add = (manifest) => {
    if (ordered.includes(manifest)) return
    for (const name of Object.keys(manifest.dependencies ?? {})) {
      const needed = manifests.find((other) => other.name === name)
      if (needed) add(needed)
    }
    ordered.push(manifest)
  }
  for (const manifest of manifests) add(manifest)
  return ordered
}

/** The problems that prevent a release. */
export function problemsOf({ version, changes, repository, isClean, tags }) {
  return [
    ...(repository
      ? []
      : ['package.json names no "repository": npm shows it, and nobody could find the sources']),
    ...(changes === '' ? ['CHANGELOG.md has nothing under "## Unreleased"'] : []),
    ...(isClean ? [] : ['there are changes that are not committed']),
    ...(tags.includes(`v${version}`) ? [`there is a tag v${version} already`] : []),
  ]
}
