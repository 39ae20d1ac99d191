import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { cutSection } from './cutSection.ts'
import { DECIDED_BREAKS_PATH, RELEASED_OPENAPI_PATH, releasedOpenApi } from './releasedOpenApi.ts'

/** Why a release is refused, before anything has changed. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError'
}

export interface ReleasePlan {
  readonly version: string
  /** Such as v0.2.0. */
  readonly tag: string
  /** What CHANGELOG.md says of this version. */
  readonly section: string
  /** Every file that it writes, as it is to be. */
  readonly files: readonly { readonly path: string; readonly text: string }[]
}

interface VersionPlace {
  readonly path: string
  readonly before: string
  /** How often the file says it. */
  readonly times: number
}

const PACKAGES = ['client', 'contracts', 'devchain', 'engine', 'protocol', 'react', 'service', 'site'].map(
  (name) => ({
    name,
    folder: `packages/${name}`,
  }),
)

/** Every place that names the version, with the text before it. */
const PLACES: readonly VersionPlace[] = [
  { path: 'package.json', before: '\n  "version": "', times: 1 },
  { path: 'package-lock.json', before: '\n  "version": "', times: 1 },
  { path: 'package-lock.json', before: '"": {\n      "name": "remit",\n      "version": "', times: 1 },
  ...[...PACKAGES, { name: 'testing', folder: 'test' }].flatMap(({ name, folder }) => [
    { path: `${folder}/package.json`, before: '\n  "version": "', times: 1 },
    {
      path: 'package-lock.json',
      before: `"${folder}": {\n      "name": "@remit/${name}",\n      "version": "`,
      times: 1,
    },
  ]),
  { path: 'Dockerfile', before: 'org.opencontainers.image.version="', times: 1 },
  { path: 'compose.yaml', before: 'image: remit:', times: 1 },
  { path: 'deploy/kubernetes.yaml', before: 'image: remit:', times: 3 },
  // Recorded answers: `GET /`, `GET /status` and `GET /openapi.json`.
  { path: 'packages/service/src/surfaces/openapi/generated/examples.json', before: '"version": "', times: 3 },
]

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/

/**
 * What a release of a version changes. Throws ReleaseError where there can be none.
 * @param root the repository
 * @param date of the release, as YYYY-MM-DD
 */
export function planRelease(root: string, version: string, date: string): ReleasePlan {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const current = z.object({ version: z.string() }).parse(JSON.parse(read('package.json'))).version
  if (!VERSION.test(version)) throw new ReleaseError(`${version} is not a version such as 1.2.3.`)
  if (!isNewer(version, current))
    throw new ReleaseError(`${version} is not newer than ${current}, the version now.`)
  const tag = `v${version}`
  if (git(root, 'tag', '--list', tag) !== '') throw new ReleaseError(`The tag ${tag} exists already.`)

  const cut = cutSection(read('CHANGELOG.md'), version, date)
  if (cut === undefined) throw new ReleaseError('CHANGELOG.md has nothing under "Unreleased".')
  const texts = new Map([['CHANGELOG.md', cut.changelog]])
  for (const { path, before, times } of PLACES) {
    const parts = (texts.get(path) ?? read(path)).split(`${before}${current}`)
    if (parts.length !== times + 1) {
      const found = `${parts.length - 1} times instead of ${times}`
      throw new ReleaseError(`${path} names ${current} after ${JSON.stringify(before)} ${found}.`)
    }
    texts.set(path, parts.join(`${before}${version}`))
  }
  texts.set(RELEASED_OPENAPI_PATH, releasedOpenApi(version)).set(DECIDED_BREAKS_PATH, '')
  const files = [...texts].map(([path, text]) => ({ path, text }))
  return { version, tag, section: cut.section, files }
}

/** Runs git and returns what it printed. */
export function git(root: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}

function isNewer(one: string, other: string): boolean {
  const numbers = (version: string) => (VERSION.exec(version) ?? []).slice(1).map(Number)
  const [mine, theirs] = [numbers(one), numbers(other)]
  const first = mine.findIndex((number, index) => number !== theirs[index])
  return first !== -1 && (mine[first] ?? 0) > (theirs[first] ?? 0)
}
