import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import type { Buildah } from './buildah.ts'

const CERTIFICATES = '/run/certificates.pem'
/** Where the build finds this machine's packages of npm. */
const CACHE = '/var/cache/npm'

const Inspected = z.object({
  Docker: z.object({
    config: z.object({
      User: z.string(),
      Env: z.array(z.string()),
      Cmd: z.array(z.string()).min(1),
      ExposedPorts: z.record(z.string(), z.unknown()),
      Labels: z.record(z.string(), z.string()),
      StopSignal: z.string(),
      // Nanoseconds.
      Healthcheck: z.object({
        Test: z.array(z.string()).min(2),
        Interval: z.number(),
        Timeout: z.number(),
        StartPeriod: z.number(),
        Retries: z.number(),
      }),
    }),
  }),
})

export interface Image {
  readonly name: string
  readonly config: z.output<typeof Inspected>['Docker']['config']
  /** All that the image says of itself, its history included, as JSON. */
  readonly metadata: string
}

/** The images that the stages of a Dockerfile begin with, each once. */
export function baseImagesOf(dockerfile: string): string[] {
  return [...new Set([...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image))]
}

/**
 * Builds a context's Dockerfile. npm asks whom it asks on this machine: its settings come in as the secret that the
 * Dockerfile knows, its cache and the certificates that it trusts are mounted. Nothing of that stays in the image.
 * @param npmrc lines beside the machine's own
 */
export async function buildImage(
  buildah: Buildah,
  { context, npmrc, name }: { context: string; npmrc: string; name: string },
): Promise<Image> {
  const folder = mkdtempSync(join(tmpdir(), 'remit-npmrc-'))
  try {
    const { registry, cache, cafile, own } = npmSettings()
    const settings = [
      own,
      `registry=${registry}`,
      `cache=${CACHE}`,
      'prefer-offline=true',
      'update-notifier=false',
      npmrc,
    ]
    const mounts = [`${cache}:${CACHE}`]
    if (cafile !== undefined) {
      settings.push(`cafile=${CERTIFICATES}`)
      mounts.push(`${cafile}:${CERTIFICATES}:ro`)
    }
    const secret = join(folder, 'npmrc')
    writeFileSync(secret, `${settings.join('\n')}\n`, { mode: 0o600 })
    await buildah.run(
      'build',
      '--isolation=chroot',
      // The other format has no place for a health check.
      '--format=docker',
      '--pull-never',
      '--quiet',
      `--secret=id=npmrc,src=${secret}`,
      ...mounts.map((mount) => `--volume=${mount}`),
      `--tag=${name}`,
      context,
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const metadata = await buildah.run('inspect', '--type=image', name)
  return { name, metadata, config: Inspected.parse(JSON.parse(metadata)).Docker.config }
}

interface NpmSettings {
  readonly registry: string
  readonly cache: string
  readonly cafile: string | undefined
  /** The lines of the user's own file, with passwords for registries. */
  readonly own: string
}

function npmSettings(): NpmSettings {
  const names = ['registry', 'cache', 'cafile', 'userconfig']
  const printed = execFileSync('npm', ['config', 'get', ...names], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const {
    registry = '',
    cache = '',
    cafile,
    userconfig = '',
  } = Object.fromEntries(printed.split('\n').map((line) => line.split(/=(.*)/s, 2)))
  return {
    registry,
    cache,
    cafile: cafile === 'null' ? process.env.NODE_EXTRA_CA_CERTS : cafile,
    own: existsSync(userconfig) ? readFileSync(userconfig, 'utf8') : '',
  }
}
