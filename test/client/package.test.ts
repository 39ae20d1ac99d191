import { readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { packClient } from '@remit/client/pack/packClient'
import { operations } from '@remit/service/operations/index'
import { build } from 'esbuild'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { useClientPackage } from '../support/programs/useClientPackage.ts'

const PROOFS_BYTES = 40_000
const PERMITS_BYTES = 30_000

const packed = await useClientPackage()
const installed = join(packed.project, 'node_modules', '@remit', 'client')

describe('the tarball', () => {
  it('holds the built package and nothing else', () => {
    const others = packed.files.filter(
      (path) => !/^dist\/([\w/]+\.(js|d\.ts)|node\/engine\/[\w-]+\.js)$/.test(path),
    )
    expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json'])
    expect(packed.files.filter((path) => /test|generate\//.test(path))).toEqual([])
  })

  it('has the same bytes for the same sources, and so have the hooks and the module for pages', async () => {
    const again = join(packed.project, 'again')
    await packClient(again)
    for (const file of ['client.tgz', 'react.tgz', 'client.js', 'engine.js']) {
      const [one, other] = await Promise.all(
        [packed.project, again].map((folder) => readFile(join(folder, file))),
      )
      expect(one?.equals(other ?? Buffer.of()), file).toBe(true)
    }
    expect((await readdir(again)).sort()).toEqual(['client.js', 'client.tgz', 'engine.js', 'react.tgz'])
  })

  it('passes publint, without a warning', async () => {
    const tarball = Uint8Array.from(await readFile(packed.tarball)).buffer
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  })

  it('passes attw: its types are what Node and bundlers find', async () => {
    await packed.run('attw', ['--profile', 'esm-only', '--no-emoji', packed.tarball])
  })

  it('is small', () => {
    console.log(`@remit/client: ${packed.files.length} files, ${packed.unpackedBytes} bytes unpacked`)
    // Each operation brings its types, with their words, and its part of the engine. Proofs are checked by the protocol's rules, and
    // permits by a lens of their own.
    expect(packed.unpackedBytes).toBeLessThan(22_000 * operations.length + PROOFS_BYTES + PERMITS_BYTES)
  })
})

const CONSUMER = `
import { createClient, NotReadyError, RateLimitedError, type Client, type Subscription } from '@remit/client'
import { createGate, expressGate, fetchGate, honoGate, type Member } from '@remit/client/gate'

const client: Client = createClient({ url: 'https://remit.example', apiKey: 'svc_1', chainId: 8453 })
export async function first(): Promise<Subscription> {
  const { subscription, asOf } = await client.getSubscription({ id: '0x1' }, { signal: AbortSignal.timeout(5) })
  const amount: bigint = subscription.amountRaw
  // @ts-expect-error it is a bigint, and not any
  const text: string = subscription.amountRaw
  // @ts-expect-error a block number is a number
  const block: bigint = asOf.blockNumber
  for await (const event of client.each.getSubscriptionHistory({ id: subscription.id })) {
    const at: Date = event.formattedTimestamp
    // @ts-expect-error it is a Date, and not any
    const no: string = event.formattedTimestamp
    console.log(at, no, amount, text, block)
  }
  // @ts-expect-error the id is missing
  await client.getSubscription({})
  // @ts-expect-error there is no such field
  await client.getSubscription({ id: '0x1', surplus: 1 })
  return subscription
}
const gate = createGate({ url: 'https://api.example', chainId: 8453, plans: [{ id: '0x1' }], client })
export const doors = [expressGate(gate), honoGate(gate), fetchGate(gate, (_, member: Member) => new Response(member.address))]
export function hint(error: unknown): string | null {
  if (error instanceof RateLimitedError) return error.upgradeHint
  return error instanceof NotReadyError ? (error.issues[0]?.message ?? null) : null
}
`

describe('a project that installs it', () => {
  it.each([
    ['nodenext', { module: 'nodenext', lib: ['ES2022', 'DOM'], types: [] }],
    ['bundler', { module: 'esnext', moduleResolution: 'bundler', lib: ['ES2022', 'DOM'], types: [] }],
    // viem's own declarations ask for a browser's types; whoever has none skips them.
    ['node', { module: 'nodenext', lib: ['ES2022'], types: ['node'], skipLibCheck: true }],
  ])('compiles strictly in %s', async (name, options) => {
    await writeFile(join(packed.project, 'consumer.ts'), CONSUMER)
    const config = `tsconfig.${name}.json`
    const compilerOptions = {
      ...options,
      target: 'ES2022',
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
    }
    await writeFile(join(packed.project, config), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
    await packed.run('tsc', ['-p', config])
  })

  it('runs in plain Node', async () => {
    const script = `
      import { createClient, RemitError } from '@remit/client'
      const fetch = async () => Response.json({ ready: true })
      const client = createClient({ url: 'https://remit.example', fetch })
      console.log(JSON.stringify([await client.getReady(), typeof RemitError]))
    `
    await writeFile(join(packed.project, 'run.js'), script)
    expect(JSON.parse(await packed.node('run.js'))).toEqual([{ ready: true }, 'function'])
  })

  /**
   * Bundles a script as a page would, in pieces. Sizes are gzipped: of what is loaded at first, and of that with what the first
   * call of an operation loads.
   */
  async function bundle(contents: string, external: string[] = []) {
    const { outputFiles, metafile, warnings } = await build({
      stdin: { contents, resolveDir: packed.project },
      absWorkingDir: packed.project,
      bundle: true,
      splitting: true,
      platform: 'browser',
      format: 'esm',
      target: 'es2022',
      minify: true,
      metafile: true,
      write: false,
      outdir: 'bundled',
      external,
    })
    expect(warnings).toEqual([])
    const sizes = new Map(
      outputFiles.map(({ path, contents: bytes }) => [basename(path), gzipSync(bytes).length]),
    )
    const outputs = new Map(
      Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]),
    )
    const loadedBy = (entries: readonly string[]) => {
      const found = new Set(entries)
      // A set may grow while it is walked.
      for (const name of found) {
        for (const { path, kind } of outputs.get(name)?.imports ?? []) {
          if (kind === 'import-statement' && outputs.has(basename(path))) found.add(basename(path))
        }
      }
      return [...found].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0)
    }
    const named = (pattern: RegExp) => [...outputs.keys()].filter((name) => pattern.test(name))
    return {
      inputs: Object.keys(metafile.inputs),
      bytes: loadedBy(['stdin.js']),
      bytesAtNode: (...pieces: readonly string[]) =>
        loadedBy([
          'stdin.js',
          ...named(new RegExp(`^(NodeChains|engine|nodeOperations|${pieces.join('|')})-[\\w-]+\\.js$`)),
        ]),
    }
  }

  it('bundles for browsers without Node modules, and stays small', async () => {
    const script = "import { createClient } from '@remit/client'; console.log(createClient)"
    const whole = await bundle(script)
    expect(whole.inputs.filter((path) => /^node:|\/cli\//.test(path))).toEqual([])
    const own = await bundle(script, ['viem', 'viem/*'])
    const calls = await bundle(
      "import { createApiClient } from '@remit/client'; console.log(createApiClient)",
    )
    const atNode = {
      read: whole.bytesAtNode('getSubscription'),
      prepare: whole.bytesAtNode('prepareSubscribe', 'prover'),
    }
    console.log(
      `@remit/client: ${own.bytes} bytes gzipped, ${whole.bytes} with what it takes of viem; createApiClient ` +
        `${calls.bytes}; with what an own node's answer loads: ${atNode.read} for a read, ${atNode.prepare} for a prepare`,
    )
    const proofs = await bundle(
      "import { verifyPaymentProof } from '@remit/client/proofs'; console.log(verifyPaymentProof)",
      ['viem', 'viem/*'],
    )
    console.log(`verifyPaymentProof: ${proofs.bytes} bytes gzipped, without what it takes of viem`)
    expect(proofs.bytes).toBeLessThan(6 * 1024)
    expect(own.bytes).toBeLessThan(600 * operations.length)
    expect(calls.bytes).toBeLessThan(205 * operations.length)
    expect(atNode.read).toBeLessThan(207_000)
    expect(atNode.prepare).toBeGreaterThan(atNode.read)
    expect(atNode.prepare).toBeLessThan(238_000)
  })
})

it('the gate bundles for workers with viem alone', async () => {
  const { metafile, outputFiles } = await build({
    stdin: { contents: "export * from '@remit/client/gate'", resolveDir: packed.project },
    bundle: true,
    platform: 'browser',
    format: 'esm',
    minify: true,
    metafile: true,
    write: false,
    external: ['viem', 'viem/*'],
  })
  const [output] = Object.values(metafile.outputs)
  expect([...new Set(output?.imports.map(({ path }) => path))].sort()).toEqual(['viem', 'viem/siwe'])
  console.log(
    `@remit/client/gate: ${gzipSync(outputFiles[0]?.contents ?? '').length} bytes gzipped without viem`,
  )
})

describe('the public surface', () => {
  it('exports at run time exactly what it declares', async () => {
    const script = `
      import * as exported from '@remit/client'
      const kindOf = (value) => /^class/.test(String(value)) ? 'class' : typeof value
      console.log(JSON.stringify(Object.entries(exported).map(([name, value]) => kindOf(value) + ' ' + name)))
    `
    await writeFile(join(packed.project, 'exports.js'), script)
    const exported = z.array(z.string()).parse(JSON.parse(await packed.node('exports.js')))
    const declared = (await surface()).matchAll(
      /(?<!^\/\/ not exported\n)^export declare (?:abstract )?((?:class|function|const) \w+)/gm,
    )
    expect(exported.sort()).toEqual([...declared].map(([, name]) => name).sort())
  })

  it('declares exactly the listed types', async () => {
    await expect(await surface()).toMatchFileSnapshot('publicSurface.txt')
  })
})

/**
 * Every export with its declaration and those that it refers to, by name. Where a declaration stands does not count.
 * What is generated is left out: it is committed, and CI makes it again and compares.
 */
async function surface(): Promise<string> {
  const files = await declarationsFrom('index.d.ts')
  const declared = new Map<string, string>()
  for (const [file, text] of files) {
    for (const [statement, name = ''] of text.matchAll(STATEMENT)) {
      if (dirname(file) !== 'generated') declared.set(name, statement.trim())
    }
  }
  const index = files.get('index.d.ts') ?? ''
  const exported = [...index.matchAll(/^export [^;]*?\{([^}]*)\}/gm)].flatMap(([, names = '']) =>
    wordsOf(names),
  )
  const reached = new Map<string, string>()
  const waiting = [...exported]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const statement = declared.get(name)
    if (statement === undefined || reached.has(name)) continue
    reached.set(name, `${exported.includes(name) ? '' : '// not exported\n'}${statement}`)
    waiting.push(...wordsOf(statement))
  }
  const byName = [...reached].sort(([one], [other]) => (one < other ? -1 : 1))
  return `${byName.map(([, statement]) => statement).join('\n\n')}\n`
}

/** A declaration at the top of a file, up to the next. */
const STATEMENT =
  /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|function|const) (\w+)[\s\S]*?(?=^(?:export|import|declare|interface|type) |(?![\s\S]))/gm

function wordsOf(text: string): string[] {
  return text.match(/\b[A-Za-z]\w*/g) ?? []
}

/** A file's declarations without comments, and those of all that it imports. */
async function declarationsFrom(entry: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>()
  const waiting = [entry]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue
    const text = await readFile(join(installed, 'dist', file), 'utf8')
    files.set(file, text.replace(/\/\*\*[\s\S]*?\*\/\s*/g, ''))
    for (const [, source = ''] of text.matchAll(/ from '(\.[^']+)\.(?:ts|js)'/g)) {
      waiting.push(join(dirname(file), `${source}.d.ts`))
    }
  }
  return files
}
