/**
 * Compiles every .sol file under packages/contracts/src into one TypeScript module per contract in packages/contracts/generated.
 *
 * `npm run build -w @remit/contracts` compiles only when a source, the compiler or the settings have changed.
 * `npm run check -w @remit/contracts` always compiles, writes nothing, and fails where a committed file differs.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

/** The folder of the packages. The compiler sees paths from here. */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const sourceFolder = 'contracts/src'
const generatedFolder = 'contracts/generated'
const manifestFile = 'sources.json'

const settings = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 200 },
  // Without this the bytecode would change whenever a comment does: its metadata hash covers comments.
  metadata: { bytecodeHash: 'none' },
} as const

/** Their code is lent to nodes for a call, so nobody creates them. What creates them would double what clients load. */
const LENT: ReadonlySet<string> = new Set([
  'BatchExecutor',
  'DueSlices',
  'IndexedLens',
  'RemitRunner',
  'SubscriptionsLens',
  'SweepLens',
  'TrialLens',
])

const Manifest = z.object({
  hash: z.string(),
  compiler: z.string(),
  settings: z.unknown(),
  sources: z.record(z.string(), z.string()),
  modules: z.array(z.string()),
})
type Manifest = z.infer<typeof Manifest>

const CompilerMessages = z.object({
  errors: z
    .array(
      z.object({
        severity: z.string(),
        formattedMessage: z.string(),
        sourceLocation: z.object({ file: z.string() }).optional(),
      }),
    )
    .default([]),
})

const CompiledContract = z.object({
  abi: z.array(z.record(z.string(), z.unknown())),
  evm: z.object({
    bytecode: z.object({ object: z.string() }),
    deployedBytecode: z.object({ object: z.string() }),
  }),
})
type CompiledContract = z.infer<typeof CompiledContract>

const CompilerOutput = z.object({
  contracts: z.record(z.string(), z.record(z.string(), CompiledContract)),
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Our sources by path. The compiler sees these paths, so its output is the same everywhere. */
function listSources(): string[] {
  return readdirSync(join(root, sourceFolder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.sol'))
    .map((path) => `${sourceFolder}/${path.replaceAll('\\', '/')}`)
    .sort()
}

function readSource(path: string): string {
  const place = path.startsWith('@') ? join(root, '..', 'node_modules', path) : join(root, path)
  return readFileSync(place, 'utf8').replaceAll('\r\n', '\n')
}

function compilerVersion(): string {
  const require = createRequire(import.meta.url)
  return z.object({ version: z.string() }).parse(require('solc/package.json')).version
}

function makeManifest(sources: Record<string, string>, modules: string[]): Manifest {
  const compiler = compilerVersion()
  const sorted = Object.fromEntries(Object.entries(sources).sort(([a], [b]) => (a < b ? -1 : 1)))
  return {
    hash: sha256(JSON.stringify([compiler, settings, sorted])),
    compiler,
    settings,
    sources: sorted,
    modules,
  }
}

/** True where the manifest's sources, ours and imported ones, are exactly those on disk. */
function isFresh(): boolean {
  const place = join(root, generatedFolder, manifestFile)
  if (!existsSync(place)) return false
  const parsed = Manifest.safeParse(JSON.parse(readFileSync(place, 'utf8')))
  if (!parsed.success) return false
  const known = parsed.data
  const ours = Object.keys(known.sources).filter((path) => path.startsWith(`${sourceFolder}/`))
  if (ours.join() !== listSources().join()) return false
  if (!known.modules.every((name) => existsSync(join(root, generatedFolder, `${name}.ts`)))) return false
  try {
    const sources = Object.fromEntries(
      Object.keys(known.sources).map((path) => [path, sha256(readSource(path))]),
    )
    return makeManifest(sources, known.modules).hash === known.hash
  } catch {
    // An imported file is missing. The compiler reports that with more detail.
    return false
  }
}

/** Every generated file by its name, with its text. */
async function compile(): Promise<Map<string, string>> {
  // Loaded here because it takes more than a second and most runs compile nothing.
  const { default: solc } = await import('solc')
  const paths = listSources()
  const read: Record<string, string> = {}
  const load = (path: string) => {
    const content = readSource(path)
    read[path] = sha256(content)
    return content
  }
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(paths.map((path) => [path, { content: load(path) }])),
    settings: {
      ...settings,
      outputSelection: Object.fromEntries(
        paths.map((path) => [path, { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] }]),
      ),
    },
  }
  const findImport = (path: string) => {
    try {
      return { contents: load(path) }
    } catch {
      return { error: `${path} is not in packages/contracts/src nor in node_modules` }
    }
  }
  const answer: unknown = JSON.parse(solc.compile(JSON.stringify(input), { import: findImport }))
  // A warning in our own code stops the build, so that none is ever left standing.
  const faults = CompilerMessages.parse(answer).errors.filter(
    ({ severity, sourceLocation }) =>
      severity === 'error' || sourceLocation === undefined || sourceLocation.file.startsWith(sourceFolder),
  )
  if (faults.length > 0) throw new Error(faults.map((fault) => fault.formattedMessage).join('\n'))
  const output = CompilerOutput.parse(answer)

  const files = new Map<string, string>()
  for (const path of Object.keys(output.contracts).sort()) {
    for (const [name, contract] of Object.entries(output.contracts[path] ?? {})) {
      // An abstract contract and a library of internal functions have no code to deploy.
      const isInterface = new RegExp(`^interface ${name}\\b`, 'm').test(readSource(path))
      if (!isInterface && (contract.abi.length === 0 || contract.evm.bytecode.object === '')) continue
      if (files.has(`${name}.ts`))
        throw new Error(`Two contracts are called ${name}; the second is in ${path}.`)
      files.set(`${name}.ts`, renderModule(name, path, contract))
    }
  }
  const modules = [...files.keys()].map((file) => file.slice(0, -'.ts'.length)).sort()
  files.set(manifestFile, `${JSON.stringify(makeManifest(read, modules), null, 2)}\n`)
  return files
}

function renderModule(name: string, path: string, contract: CompiledContract): string {
  const lines = contract.abi.map((item) => `    ${JSON.stringify(item, withoutInternalTypes)},`)
  const { bytecode, deployedBytecode } = contract.evm
  const creation = LENT.has(name) ? [] : [`  bytecode: '0x${bytecode.object}',`]
  const code =
    bytecode.object === '' ? [] : [...creation, `  deployedBytecode: '0x${deployedBytecode.object}',`]
  return [
    `// Generated from packages/${path} by packages/contracts/build.ts. Do not edit.`,
    `export const ${name} = {`,
    '  abi: [',
    ...lines,
    '  ],',
    ...code,
    '} as const',
    '',
  ].join('\n')
}

/** `internalType` repeats our Solidity names; no reader of the ABI needs it, and the types stay smaller. */
function withoutInternalTypes(key: string, value: unknown): unknown {
  return key === 'internalType' ? undefined : value
}

function committedFiles(): Map<string, string> {
  const folder = join(root, generatedFolder)
  if (!existsSync(folder)) return new Map()
  // A name that begins with a dot is a file that another run is still writing.
  const files = readdirSync(folder).filter((file) => !file.startsWith('.'))
  return new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
}

function write(files: Map<string, string>): void {
  const folder = join(root, generatedFolder)
  mkdirSync(folder, { recursive: true })
  for (const file of committedFiles().keys()) if (!files.has(file)) rmSync(join(folder, file))
  for (const [file, text] of files) {
    // Written under another name and then renamed: a process that imports it never reads half a file.
    const draft = join(folder, `.${file}.${process.pid}`)
    writeFileSync(draft, text)
    renameSync(draft, join(folder, file))
  }
}

function check(files: Map<string, string>): string[] {
  const committed = committedFiles()
  const differing = [...files].filter(([file, text]) => committed.get(file) !== text).map(([file]) => file)
  const left = [...committed.keys()].filter((file) => !files.has(file))
  return [...differing, ...left].map((file) => `packages/${generatedFolder}/${file}`).sort()
}

try {
  if (process.argv.includes('--check')) {
    const differing = check(await compile())
    if (differing.length > 0) {
      throw new Error(
        `These generated files are not what packages/contracts/src compiles to: ${differing.join(', ')}. ` +
          'Run `npm run build -w @remit/contracts` and commit the result.',
      )
    }
  } else if (!isFresh()) {
    write(await compile())
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
