import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadConfig } from '@remit/service/configuration/loadConfig'
import { VARIABLES } from '@remit/service/testing/configuration/variables'
import { afterAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import * as z from 'zod'
import { findBuilt } from '../../support/programs/installed.ts'

const path = fileURLToPath(new URL('../../../deploy/kubernetes.yaml', import.meta.url))
const tool = fileURLToPath(new URL('.venv/bin/kubernetes-validate', import.meta.url))
const VALIDATE = findBuilt('kubernetes-validate, which test/operators/kubernetes wants', tool)
const folder = mkdtempSync(join(tmpdir(), 'remit-kubernetes-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const Probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) })
const Container = z.object({
  image: z.string(),
  command: z.array(z.string()).optional(),
  env: z.array(z.object({ name: z.string(), value: z.string() })),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
  readinessProbe: Probe,
  livenessProbe: Probe,
})
const Config = z.object({ kind: z.literal('ConfigMap'), data: z.record(z.string(), z.string()) })
const Deployment = z.object({
  kind: z.literal('Deployment'),
  metadata: z.object({ name: z.string() }),
  spec: z.object({ template: z.object({ spec: z.object({ containers: z.tuple([Container]) }) }) }),
})

const text = readFileSync(path, 'utf8')
const documents = parseAllDocuments(text).map((document): unknown => document.toJS())
const shared =
  documents.flatMap((document) => Config.safeParse(document).data ?? []).map(({ data }) => data)[0] ?? {}
const deployments = documents.flatMap((document) => Deployment.safeParse(document).data ?? [])

/** What the Secret that operators make has in it. */
const SECRETS = {
  RPC_URL_8453: 'https://node.example',
  DATABASE_URL: 'postgres://remit@postgres/remit',
  REDIS_URL: 'redis://redis',
  SECRETS_KEY: '11'.repeat(32),
  LOG_IDENTITY_KEY: 'sixteen letters or more',
  DEVELOPER_KEYS_ADMIN_SECRET: 'sixteen letters or more',
}

function validate(file: string): string {
  const { status, stdout, stderr } = spawnSync(VALIDATE ?? '', ['--strict', file], { encoding: 'utf8' })
  return status === 0 ? 'valid' : stdout + stderr
}

describe('deploy/kubernetes.yaml', () => {
  it('gives each process declared variables alone, with values that stop no start', () => {
    expect(deployments.map(({ metadata }) => metadata.name)).toEqual([
      'remit-api',
      'remit-indexer',
      'remit-deliverer',
    ])
    const declared = new Set(VARIABLES.map(({ name }) => name))
    for (const { spec } of deployments) {
      const [{ env }] = spec.template.spec.containers
      const own = Object.fromEntries(env.map(({ name, value }) => [name, value]))
      const named = Object.keys({ ...shared, ...own })
      expect(named.filter((name) => !declared.has(name))).toEqual([])
      expect(() => loadConfig({ ...shared, ...SECRETS, ...own })).not.toThrow()
    }
    expect(Object.keys(SECRETS).filter((name) => !text.includes(name))).toEqual([])
  })

  it('starts programs of the image, and asks each for its health where it answers', () => {
    const asked = deployments.map(({ spec }) => {
      const [{ image, command, ports, readinessProbe, livenessProbe }] = spec.template.spec.containers
      expect(image).toMatch(/^remit:\d/)
      const portOf = (name: string) => ports.find((port) => port.name === name)?.containerPort
      return [readinessProbe, livenessProbe].map(
        ({ httpGet }) => `${command?.slice(2).join(' ') ?? 'main.js'} ${portOf(httpGet.port)}${httpGet.path}`,
      )
    })
    expect(asked).toEqual([
      ['main.js 3000/ready', 'main.js 3000/status'],
      ['main.js index 9464/ready', 'main.js index 9464/live'],
      ['main.js deliver 9464/ready', 'main.js deliver 9464/live'],
    ])
  })

  it.skipIf(VALIDATE === undefined)('is valid by the schemas of Kubernetes, which know each field', () => {
    expect(execFileSync(VALIDATE ?? '', ['--version'], { encoding: 'utf8' })).toContain('1.37')
    expect(validate(path)).toBe('valid')
    const broken = join(folder, 'broken.yaml')
    for (const [right, wrong] of [
      ['readinessProbe:', 'readynessProbe:'],
      ['replicas: 2', 'replicas: two'],
      ['  selector: { matchLabels: { app: remit-indexer } }\n', ''],
    ] as const) {
      expect(text).toContain(right)
      writeFileSync(broken, text.replace(right, wrong))
      expect([right, validate(broken)]).not.toEqual([right, 'valid'])
    }
  })
})
