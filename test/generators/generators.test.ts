import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { recordedExamples } from '@remit/service/testing/surfaces/openapi/examples'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { useLife } from '../parity/life.ts'
import { findBuilt, findProgram } from '../support/programs/installed.ts'
import { indexed } from '../support/service/indexed.ts'
import { useTestService } from '../support/service/testService.ts'
import { GO, PYTHON, TYPESCRIPT } from './consumers.ts'

const here = import.meta.dirname
const built = (name: string, ...path: readonly string[]) =>
  findBuilt(`${name} (test/support/README.md tells how to install it)`, join(here, ...path))

const python = built('openapi-python-client', '.venv', 'bin', 'openapi-python-client')
const typescript = built('openapi-typescript', 'node_modules', '.bin', 'openapi-typescript')
const oapiCodegen = built('oapi-codegen', 'go', '.bin', 'oapi-codegen')
const go = findProgram('go')

/** A busy machine compiles Go for minutes. */
const TIMEOUT_MS = 400_000

const { chain, subscriptionId } = await useLife()
const service = await useTestService([chain])
await indexed(service, chain)
const document = JSON.stringify((await service.get('/openapi.json')).body)
const event = recordedExamples().events['subscription.created']
const Created = z.object({ data: z.object({ amount: z.object({ amount: z.string() }) }) })

const ASKED = [service.url, subscriptionId, chain.wallets.bob] as const
/** An approval and the subscription, and the price that the event tells. */
const TOLD = { mode: 'eip5792', calls: 2, price: Created.parse(event).data.amount.amount }

describe.skipIf(python === undefined)('openapi-python-client', () => {
  it(
    'makes a client of the served document without a warning, and it calls the service',
    async () => {
      const folder = await folderIn(join(here, '.venv'))
      const bin = join(here, '.venv', 'bin')
      const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` }
      await writeFile(join(folder, 'settings.yml'), 'post_hooks: []\n')
      const options = ['--path', 'openapi.json', '--config', 'settings.yml', '--output-path', 'made']
      const said = await run(folder, [python ?? '', 'generate', '--fail-on-warning', ...options], env)
      expect(said.trim()).toBe('Generating made')
      await writeFile(join(folder, 'made', 'consumer.py'), PYTHON)
      const asked = [join(bin, 'python'), 'consumer.py', ...ASKED, JSON.stringify(event)]
      expect(JSON.parse(await run(join(folder, 'made'), asked))).toEqual(TOLD)
    },
    TIMEOUT_MS,
  )
})

const Consumer = z.object({
  use: z.custom<(...args: unknown[]) => Promise<unknown>>((value) => typeof value === 'function'),
})

describe.skipIf(typescript === undefined)('openapi-typescript', () => {
  it(
    'makes types of the served document, by which openapi-fetch calls the service',
    async () => {
      const folder = await folderIn(join(here, 'node_modules', '.cache'))
      await writeFile(join(folder, 'consumer.ts'), TYPESCRIPT)
      await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
      await run(folder, [typescript ?? '', 'openapi.json', '--output', 'schema.d.ts'])
      const compilerOptions = { strict: true, target: 'es2023', module: 'nodenext', types: [] }
      const project = { compilerOptions, files: ['consumer.ts'] }
      const schema = await readFile(join(folder, 'schema.d.ts'), 'utf8')
      // Words of descriptions are no types, and it writes that other headers may come. The facts of issues and of
      // warnings, and the document itself, are open by nature; nothing else is untyped.
      const types = schema.replace(/\/\*\*[\s\S]*?\*\/|\[name: string\]: unknown/g, '')
      expect(types.match(/: (any|object|unknown)\b/g)).toHaveLength(3)
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project))
      await run(folder, [join(here, 'node_modules', '.bin', 'tsc'), '--project', '.'])
      const imported: unknown = await import(pathToFileURL(join(folder, 'consumer.js')).href)
      const told = await Consumer.parse(imported).use(...ASKED, event)
      expect(told).toEqual({ ...TOLD, refused: ['NOT_SUBSCRIBED'] })
    },
    TIMEOUT_MS,
  )
})

describe.skipIf(oapiCodegen === undefined || go === undefined)('oapi-codegen', () => {
  it(
    'makes a client of the served document that compiles, and it calls the service',
    async () => {
      const folder = await folderIn(join(here, 'go', '.bin'))
      for (const file of ['go.mod', 'go.sum']) cpSync(join(here, 'go', file), join(folder, file))
      mkdirSync(join(folder, 'remit'))
      // Without this it leaves out what only webhooks are sent, and uses it all the same.
      const what = ['-generate', 'types,client,skip-prune', '-package', 'remit']
      await run(folder, [oapiCodegen ?? '', ...what, '-o', join('remit', 'remit.go'), 'openapi.json'])
      await writeFile(join(folder, 'main.go'), GO)
      // To compile it without making it fast takes a third less.
      await run(folder, [go ?? '', 'build', '-gcflags=remit.test/...=-N -l', '-o', 'consumer', '.'])
      const asked = [join(folder, 'consumer'), ...ASKED, JSON.stringify(event)]
      expect(JSON.parse(await run(folder, asked))).toEqual(TOLD)
    },
    TIMEOUT_MS,
  )
})

/** A folder with the document in it, where git sees nothing. It goes when the file ends. */
async function folderIn(parent: string): Promise<string> {
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'generated-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'openapi.json'), document)
  return folder
}

/** What a command prints. Rejects with it where it fails. */
async function run(
  folder: string,
  [command = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 }
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, options)
    return stdout + stderr
  } catch (error) {
    const { stdout = '', stderr = '' } = z
      .object({ stdout: z.string().optional(), stderr: z.string().optional() })
      .parse(error)
    throw new Error(`${command} failed:\n${stdout}${stderr}`)
  }
}
