import { execFile, execFileSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { cutSection } from '../deploy/release/cutSection.ts'
import { planRelease } from '../deploy/release/planRelease.ts'
import { DECIDED_BREAKS_PATH, RELEASED_OPENAPI_PATH } from '../deploy/release/releasedOpenApi.ts'
import packageJson from '../package.json' with { type: 'json' }

const root = fileURLToPath(new URL('..', import.meta.url))
const now = packageJson.version
const next = now.replace(/\d+$/, (last) => String(Number(last) + 1))
const tag = `v${next}`

const folder = mkdtempSync(join(tmpdir(), 'remit-release-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const clone = join(folder, 'clone')
const programs = join(folder, 'programs')
makeClone()
const read = (file: string) => readFileSync(join(clone, file), 'utf8')

describe('a release', () => {
  it('is refused where the version, the tree or the changelog does not allow it', () => {
    const plan = (version: string) => () => planRelease(clone, version, '2026-11-22')
    expect(plan('next')).toThrow('next is not a version such as 1.2.3.')
    expect(plan(now)).toThrow(`${now} is not newer than ${now}`)
    expect(plan('0.0.9')).toThrow('0.0.9 is not newer than')
    git('tag', tag)
    expect(plan(next)).toThrow(`The tag ${tag} exists already.`)
    git('tag', '--delete', tag)
    expect(
      cutSection('# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-01-01)\n\n- It began.\n', next, ''),
    ).toBeUndefined()

    writeFileSync(join(clone, 'Dockerfile'), read('Dockerfile').replace(`version="${now}"`, 'version="7"'))
    expect(plan(next)).toThrow('Dockerfile names')
    git('checkout', '--', 'Dockerfile')
  })

  it('keeps what older versions changed', () => {
    const changelog = '# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- It began.\n'
    expect(cutSection(changelog, '0.2.0', '2026-11-22')?.changelog).toBe(
      '# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-11-22)\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- It began.\n',
    )
  })

  it('shows in its dry form what it would do, and does nothing', async () => {
    const { stdout } = await release([next, '--dry-run'])
    expect(stdout).toContain(
      `${tag} would change CHANGELOG.md, package.json, package-lock.json, packages/client/package.json`,
    )
    expect(stdout).toContain(`## ${next} (`)
    expect(git('status', '--porcelain')).toBe('')
    expect(git('tag')).toBe('')
  })

  it('is not made over changes that are not committed', async () => {
    appendFileSync(join(clone, 'README.md'), 'More.\n')
    await expect(release([next])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Commit or stash first'),
    })
    git('checkout', '--', 'README.md')
  })

  it('changes nothing where a part of it fails', async () => {
    await expect(release([next], { BUILD_FAILS: 'yes' })).rejects.toMatchObject({ code: 1 })
    expect(git('status', '--porcelain')).toBe('')
    expect([git('tag'), git('log', '--format=%s')]).toEqual(['', 'As it is'])
  }, 120_000)

  it('is a commit, a tag with what has changed, the server, the client and the image', async () => {
    const { stdout } = await release([next])
    expect(git('status', '--porcelain')).toBe('')
    expect(git('log', '-1', '--format=%s %D')).toMatch(new RegExp(`^Release ${next} .*tag: ${tag}`))
    const section = read(`releases/${next}/CHANGES.md`)
    expect(git('tag', '--list', '--format=%(contents)', tag)).toBe(section.trim())
    expect(read('CHANGELOG.md')).toContain(`## Unreleased\n\n${section}`)

    const server = `remit-${next}-${process.platform}-${process.arch}.tgz`
    const installed = ['client', 'react'].map((name) => `remit-${name}-${next}.tgz`)
    expect(readdirSync(join(clone, 'releases', next)).sort()).toEqual(
      ['CHANGES.md', 'SHA256SUMS', ...installed, server].sort(),
    )
    execFileSync('sha256sum', ['--check', '--quiet', '--strict', 'SHA256SUMS'], {
      cwd: join(clone, 'releases', next),
    })
    expect(versionIn(unpacked(server, `remit-${next}/package.json`))).toBe(next)
    expect(unpacked(server, `remit-${next}/main.js`)).toContain('node main.js <command>')
    for (const file of installed) expect(versionIn(unpacked(file, 'package/package.json'))).toBe(next)
    expect(readFileSync(join(programs, 'called'), 'utf8')).toMatch(
      new RegExp(`^build .*--tag=remit:${next} \\.\n$`),
    )

    for (const part of [`docker has the image remit:${next}`, 'git push --follow-tags', `npm publish`]) {
      expect(stdout).toContain(part)
    }
    expect(() => planRelease(clone, next.replace(/\d+$/, '99'), '')).toThrow('nothing under "Unreleased"')
  }, 120_000)

  it('names one version everywhere', () => {
    const lock = z.object({
      version: z.string(),
      packages: z.record(z.string(), z.looseObject({ version: z.string().optional() })),
    })
    const { version, packages } = lock.parse(JSON.parse(read('package-lock.json')))
    const [whole, client] = [packages[''], packages['packages/client']]
    expect([version, whole?.version, client?.version]).toEqual([next, next, next])
    expect(read('compose.yaml')).toContain(`image: remit:${next}\n`)
    expect(read('Dockerfile')).toContain(`org.opencontainers.image.version="${next}"`)
    expect(JSON.parse(read(RELEASED_OPENAPI_PATH))).toHaveProperty('info.version', next)
    expect(read(DECIDED_BREAKS_PATH)).toBe('')
    // What is committed is that and the changelog, nothing else.
    const others = ['CHANGELOG.md', RELEASED_OPENAPI_PATH].map((path) => `:!${path}`)
    const lines = git('diff', 'HEAD~1', '--unified=0', '--', '.', ...others).split('\n')
    const added = lines.filter((line) => /^\+(?!\+\+)/.test(line))
    expect(added.length).toBeGreaterThan(8)
    for (const line of added) expect(line).toContain(next)
  })
})

/** The repository with all that is not committed yet, as one commit of a history of its own. */
function makeClone(): void {
  const left = ['.git', 'data', 'releases', 'coverage', 'subgraph', 'test'].map((name) => join(root, name))
  const isLeft = (path: string) => left.includes(path) || /\/(node_modules|dist)$/.test(path)
  cpSync(root, clone, { recursive: true, filter: (path) => !isLeft(path) })
  // Of the tests only what says their version. The packages are to find those of the copy: links would lead out of it.
  mkdirSync(join(clone, 'test'))
  cpSync(join(root, 'test/package.json'), join(clone, 'test/package.json'))
  const copy = 'cp -al "$0" "$1" 2>/dev/null || { rm -rf "$1"; cp -a "$0" "$1"; }'
  execFileSync('sh', ['-c', copy, join(root, 'node_modules'), join(clone, 'node_modules')])
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'As it is')
  mkdirSync(programs)
  // Writes down how it was called, unless it is to fail.
  const docker = '#!/bin/sh\n[ -z "$BUILD_FAILS" ] && echo "$@" >> "$(dirname "$0")/called"\n'
  writeFileSync(join(programs, 'docker'), docker, { mode: 0o755 })
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: clone, encoding: 'utf8', env: environment() }).trim()
}

/** Somebody to commit as, and a builder of images that only notes what it was asked for. */
function environment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const who = { NAME: 'A maintainer', EMAIL: 'maintainer@remit.example' }
  const identity = ['AUTHOR', 'COMMITTER'].flatMap((role) =>
    Object.entries(who).map(([part, value]) => [`GIT_${role}_${part}`, value]),
  )
  const PATH = `${programs}${delimiter}${process.env.PATH}`
  return { ...process.env, ...Object.fromEntries(identity), PATH, ...more }
}

async function release(args: readonly string[], more: Record<string, string> = {}) {
  const script = ['--import', 'tsx', 'deploy/release/main.ts']
  return await promisify(execFile)(process.execPath, [...script, ...args], {
    cwd: clone,
    env: environment(more),
  })
}

function unpacked(archive: string, file: string): string {
  const args = ['--extract', '--to-stdout', '--file', join(clone, 'releases', next, archive), file]
  return execFileSync('tar', args, { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 })
}

function versionIn(manifest: string): string {
  return z.object({ version: z.string() }).parse(JSON.parse(manifest)).version
}
