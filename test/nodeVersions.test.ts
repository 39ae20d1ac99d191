import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const Manifest = z.object({ engines: z.object({ node: z.string() }) })
const engineOf = (file: string) => Manifest.parse(JSON.parse(read(file))).engines.node

/** Such as 20.19. */
const oldest = engineOf('package.json').replace(/^>=/, '')

const Workflow = z.object({
  jobs: z.object({
    test: z.object({ strategy: z.object({ matrix: z.object({ node: z.array(z.string()) }) }) }),
  }),
})
const checked = Workflow.parse(parse(read('.github/workflows/check.yml'))).jobs.test.strategy.matrix.node

/** Of every image of Node that a file begins with, the version. */
const imagesIn = (file: string) =>
  [...read(file).matchAll(/\bnode:(\d+\.\d+\.\d+)-bookworm/g)].map(([, version]) => version)

describe('the oldest Node that is supported', () => {
  it('is the same for the service and for the client', () => {
    expect(oldest).toMatch(/^\d+\.\d+$/)
    expect(engineOf('packages/client/package.json')).toBe(`>=${oldest}`)
  })

  it.each(['README.md', 'CONTRIBUTING.md', 'packages/client/README.md', 'docs/start.md', 'docs/run.md'])(
    'is the one that %s names',
    (file) => {
      const named = [...read(file).matchAll(/\bNode (\d+\.\d+)(?= or newer)/g)].map(([, version]) => version)
      expect(named.length).toBeGreaterThan(0)
      expect(new Set(named)).toEqual(new Set([oldest]))
    },
  )

  it('is checked by the workflow, and so are newer ones', () => {
    expect(checked[0]).toBe(oldest)
    expect(checked.length).toBeGreaterThan(1)
  })
})

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({ engines: z.object({ node: z.string().optional() }).optional().catch(undefined) }),
  ),
})

/** Its types are a package of their own, for one function. */
const Semver = z.object({
  satisfies: z.custom<(version: string, range: string) => boolean>((value) => typeof value === 'function'),
})

it('installs no package that asks for a newer Node than one that the workflow checks', () => {
  const { satisfies } = Semver.parse(createRequire(import.meta.url)('semver'))
  const { packages } = Lock.parse(JSON.parse(read('package-lock.json')))
  // What setup-node takes for "22" is its newest; the oldest supported one is checked to the letter.
  const versions = checked.map((version) => (version.includes('.') ? `${version}.0` : `${version}.99.0`))
  const warnings = Object.entries(packages).flatMap(([name, { engines }]) => {
    const { node: range } = engines ?? {}
    return range === undefined
      ? []
      : versions
          .filter((version) => !satisfies(version, range))
          .map((version) => `${name} wants ${range}, not ${version}`)
  })
  expect(warnings).toEqual([])
})

it('builds the image from one Node that the workflow checks, and develops with the same', () => {
  const [version = '', ...others] = new Set([
    ...imagesIn('Dockerfile'),
    ...imagesIn('.devcontainer/Dockerfile'),
  ])
  expect(others).toEqual([])
  expect(checked).toContain(version.split('.')[0])
})
