const UNRELEASED = '## Unreleased\n'

/**
 * Gives what is unreleased to a version, and leaves an empty "Unreleased" above it. `undefined` where nothing is.
 * @param date as YYYY-MM-DD
 */
export function cutSection(
  changelog: string,
  version: string,
  date: string,
): { readonly changelog: string; readonly section: string } | undefined {
  const start = changelog.indexOf(UNRELEASED)
  if (start === -1) return undefined
  const after = start + UNRELEASED.length
  const next = changelog.indexOf('\n## ', after)
  const entries = changelog.slice(after, next === -1 ? undefined : next).trim()
  if (entries === '') return undefined
  const section = `## ${version} (${date})\n\n${entries}\n`
  const older = next === -1 ? '' : changelog.slice(next)
  return { section, changelog: `${changelog.slice(0, after)}\n${section}${older}` }
}
