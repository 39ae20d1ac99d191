import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string) => readFileSync(join(root, '.github', file), 'utf8')

const Updates = z.object({
  updates: z.array(
    z.object({
      'package-ecosystem': z.string(),
      directory: z.string().optional(),
      directories: z.array(z.string()).default([]),
    }),
  ),
})

it('asks for updates of every package, image and workflow that the repository has', () => {
  const { updates } = Updates.parse(parse(read('dependabot.yml')))
  const asked = updates.flatMap((each) =>
    [each.directory ?? [], each.directories].flat().map((folder) => `${each['package-ecosystem']} ${folder}`),
  )
  expect(asked.sort()).toEqual([
    'docker /',
    'docker /.devcontainer',
    'docker-compose /',
    'docker-compose /deploy/graph',
    'github-actions /',
    'gomod /test/generators/go',
    'npm /',
    'npm /.ci/imports',
    'npm /packages/*',
    'npm /subgraph',
    'npm /test',
    'npm /test/clearSigning',
    'npm /test/conformance',
    'npm /test/edge',
    'npm /test/generators',
    'npm /test/mutation',
    'npm /test/nodes/hardhat',
    'pip /test/conformance',
    'pip /test/generators',
    'pip /test/operators/kubernetes',
    'pip /test/schemathesis',
  ])
})

it('names no owner of code, and no path that is gone', () => {
  const lines = read('CODEOWNERS')
    .split('\n')
    .filter((line) => line !== '')
  expect(lines.filter((line) => !line.startsWith('#'))).toEqual([])
  const paths = lines.flatMap((line) => /^# (\/\S+) +@/.exec(line)?.[1] ?? [])
  expect(paths.length).toBeGreaterThan(0)
  for (const path of paths) expect(existsSync(join(root, path)), path).toBe(true)
})

const Form = z.object({
  name: z.string(),
  description: z.string(),
  body: z
    .array(
      z.object({
        type: z.enum(['markdown', 'textarea', 'input']),
        id: z.string().optional(),
        attributes: z.object({ label: z.string().optional(), value: z.string().optional() }),
      }),
    )
    .min(1),
})

it.each(readdirSync(join(root, '.github/ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml'))(
  'has a form for issues that the host can show: %s',
  (name) => {
    const { body } = Form.parse(parse(read(`ISSUE_TEMPLATE/${name}`)))
    const fields = body.filter(({ type }) => type !== 'markdown')
    expect(fields.every(({ id, attributes }) => id !== undefined && attributes.label !== undefined)).toBe(
      true,
    )
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length)
  },
)

it('starts scripts that can be started', () => {
  for (const script of ['.ci/run', '.ci/install', '.ci/bare']) {
    expect(statSync(join(root, script)).mode & 0o111, script).toBe(0o111)
  }
})
