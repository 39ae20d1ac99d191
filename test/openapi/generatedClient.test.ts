import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import * as z from 'zod'
import { useLife } from '../parity/life.ts'
import { indexed } from '../support/service/indexed.ts'
import { useTestService } from '../support/service/testService.ts'
import { GENERATED_CONSUMER } from './generatedConsumer.ts'

const { chain, subscriptionId } = await useLife()
const service = await useTestService([chain])

// Below the package, so that the generated client finds its runtime.
mkdirSync(join('node_modules', '.cache'), { recursive: true })
const folder = mkdtempSync(join(process.cwd(), 'node_modules', '.cache', 'remit-generated-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Strict, but for what the generator's own runtime does not bear: exactOptionalPropertyTypes. */
const TSCONFIG = {
  compilerOptions: {
    target: 'ES2023',
    // The runtime speaks of fetch as browsers know it.
    lib: ['ES2023', 'DOM'],
    types: [],
    module: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    outDir: 'compiled',
    rootDir: '.',
  },
  files: ['client.ts', 'consumer.ts'],
}

const Consumer = z.object({
  use: z.custom<(...args: string[]) => Promise<unknown>>((value) => typeof value === 'function'),
})

it('a public generator makes a typed client of the served document, and it calls the service', async () => {
  const document = await service.get('/openapi.json')
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(document.body))
  await writeFile(join(folder, 'consumer.ts'), GENERATED_CONSUMER)
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  await run('oazapfts', 'openapi.json', 'client.ts')
  await run('tsc', '--project', '.')
  const text = await readFile(join(folder, 'client.ts'), 'utf8')
  // The words of descriptions are no types.
  const client = text.replace(/\/\*\*[\s\S]*?\*\//g, '')
  // The facts of issues and of warnings, and the document itself, are open by nature; nothing else is untyped.
  expect(client.match(/\[key: string\]: any\b/g)).toHaveLength(3)
  expect(client.match(/: (any|object|unknown)\b/g)).toHaveLength(3)

  const imported: unknown = await import(pathToFileURL(join(folder, 'compiled', 'consumer.js')).href)
  const { use } = Consumer.parse(imported)
  await indexed(service, chain)
  expect(await use(service.url, subscriptionId, chain.wallets.bob, chain.tokens.usdc)).toEqual({
    callerFeePercent: expect.any(Number),
    found: ['10000000'],
    mode: 'eip5792',
    absent: 'NOT_FOUND',
    refused: ['NOT_SUBSCRIBED'],
  })
}, 60_000)

/** Runs an installed command in the folder. Rejects with what it printed. */
async function run(command: string, ...args: readonly string[]): Promise<void> {
  const path = join(process.cwd(), 'node_modules', '.bin', command)
  await promisify(execFile)(path, args, { cwd: folder }).catch((error: unknown) => {
    const { stdout = '', stderr = '' } = z
      .object({ stdout: z.string().optional(), stderr: z.string().optional() })
      .parse(error)
    throw new Error(`${command} failed:\n${stdout}${stderr}`)
  })
}
