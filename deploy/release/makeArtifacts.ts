import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { tarball } from '@remit/client/pack/tarball'
import type { ReleasePlan } from './planRelease.ts'

export interface Artifacts {
  /** Where the files are, from the repository's root. */
  readonly folder: string
  readonly files: readonly string[]
  /** What built the image and its name there; `undefined` where no builder is installed. */
  readonly image: { readonly builder: string; readonly name: string } | undefined
}

/** Each takes the same options. Those without a daemon have to be told of the format that has a health check. */
const BUILDERS: readonly { readonly program: string; readonly options: readonly string[] }[] = [
  { program: 'docker', options: [] },
  { program: 'podman', options: ['--format=docker'] },
  { program: 'buildah', options: ['--format=docker'] },
]

/** Makes what is published of a version from the sources as they are: the server, the client, the hooks, the image. */
export function makeArtifacts(root: string, { version, section }: ReleasePlan): Artifacts {
  const folder = join('releases', version)
  const target = join(root, folder)
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })

  // First, since it needs a network and is the likeliest to fail.
  const image = buildImage(root, version)
  execFileSync(process.execPath, ['--import', 'tsx', 'deploy/bundle.ts'], { cwd: root, stdio: 'inherit' })
  // One native package is in it.
  const server = `remit-${version}-${process.platform}-${process.arch}.tgz`
  writeFileSync(join(target, server), packed(join(root, 'dist'), `remit-${version}`))
  for (const name of ['client', 'react']) {
    const served = join(root, `dist/packages/client/pack/dist/${name}.tgz`)
    cpSync(served, join(target, `remit-${name}-${version}.tgz`))
  }
  writeFileSync(join(target, 'CHANGES.md'), section)
  writeFileSync(join(target, 'SHA256SUMS'), sumsOf(target))
  return { folder, files: readdirSync(target).sort(), image }
}

/** The archive of a folder, in which everything is below one name. */
function packed(folder: string, name: string): Buffer {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name)
      return { path: join(name, file.slice(folder.length)), content: readFileSync(file), isExecutable: false }
    })
  return tarball(entries)
}

/** As `sha256sum --check` reads it. */
function sumsOf(folder: string): string {
  const lines = readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    )
  return lines.join('')
}

function buildImage(root: string, version: string): Artifacts['image'] {
  const builder = BUILDERS.find(
    ({ program }) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0,
  )
  if (builder === undefined) return undefined
  const name = `remit:${version}`
  const npmrc = join(homedir(), '.npmrc')
  const secret = existsSync(npmrc) ? [`--secret=id=npmrc,src=${npmrc}`] : []
  execFileSync(builder.program, ['build', ...builder.options, ...secret, `--tag=${name}`, '.'], {
    cwd: root,
    stdio: 'inherit',
  })
  return { builder: builder.program, name }
}
