/**
 * Makes the files in which a service offers its client: two npm packages and two scripts for pages. It runs after an install and by
 * `npm run pack` (`main.ts`), and when a release is bundled. Below in this order: what is packed; `packClient`; how a package is made
 * (TypeScript compiles it file by file, esbuild bundles the engine); how a script is made.
 */

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, posix, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build, type Plugin } from 'esbuild'
import packageJson from '../package.json' with { type: 'json' }
import { tarball } from './tarball.ts'

const runFile = promisify(execFile)
const client = fileURLToPath(new URL('..', import.meta.url))
const packages = join(client, '..')

/**
 * A package of this repository as those who install it see it. client.tgz holds:
 *
 *   package.json            exports, and peers of this version
 *   dist/index.js, .d.ts    its own files, one for each source
 *   dist/protocol/…         files of the packages in `inlined`, as far as its own files import them
 *   dist/node/engine.js     the files in `bundledEntries`, each bundled with the engine and its libraries, in chunks
 */
interface PublishedPackage {
  /** Its folder in `packages/`. */
  readonly name: string
  /** Its `exports`, each with the source behind it. */
  readonly exports: Readonly<Record<string, string>>
  /** Packages of this repository that nobody installs: the files that are needed of them are copied into it. */
  readonly inlined: readonly string[]
  /** Its files that import the engine, without their endings. They are bundled with it. */
  readonly bundledEntries: readonly string[]
}

/** What is packed, by file. */
const PUBLISHED: Readonly<Record<string, PublishedPackage>> = {
  'client.tgz': {
    name: 'client',
    exports: {
      '.': 'index',
      './development': 'development/findDevService',
      './gate': 'gate/index',
      './proofs': 'proofs/index',
    },
    inlined: ['protocol', 'contracts'],
    bundledEntries: ['node/engine', 'generated/nodeOperations'],
  },
  'react.tgz': { name: 'react', exports: { '.': 'index' }, inlined: [], bundledEntries: [] },
}

/** What pages load, by file: each is one module. */
const SCRIPTS = { 'client.js': 'pack/page.ts', 'engine.js': 'pack/engine.ts' }

/** The package of this repository that `bundledEntries` bring along, bundled: its compiled files are left out. */
const BUNDLED_PACKAGE = 'engine'
/**
 * Its types name those of the engine, which are not published, and would not resolve. No published entry's types lead to it.
 */
const UNPUBLISHED_TYPES = 'node/NodeChains.d.ts'

/** The folder from which the service serves the packed client. */
export const PACKED = join(client, 'pack', 'dist')

/**
 * Whether all that packing needs is installed. `npm ci --omit=dev` leaves out the types of Node, and TypeScript where no other
 * package brings it.
 */
export function canPackClient(): boolean {
  try {
    createRequire(import.meta.url).resolve('@types/node/package.json')
  } catch {
    return false
  }
  return compiler() !== undefined
}

/**
 * Makes the files that the service serves its client as: `client.tgz` and `react.tgz` as npm installs them, and
 * `client.js` for pages, which loads `engine.js` when it first asks a node. The same sources give the same bytes.
 * @param folder receives the files; each is renamed into place, so nobody reads half of one
 */
export async function packClient(folder: string = PACKED): Promise<void> {
  await mkdir(folder, { recursive: true })
  // Beside the result, so that it can be renamed into its place.
  const stage = await mkdtemp(join(folder, '.stage-'))
  try {
    const archives = Object.entries(PUBLISHED).map(
      async ([file, each]) => [file, await packageArchive(each, join(stage, each.name))] as const,
    )
    const scripts = Object.entries(SCRIPTS).map(
      async ([file, entry]) => [file, await pageScript(entry)] as const,
    )
    for (const [name, content] of await Promise.all([...archives, ...scripts])) {
      await writeFile(join(stage, name), content)
      await rename(join(stage, name), join(folder, name))
    }
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

/** @param dist an empty or absent folder for what is compiled */
async function packageArchive(of: PublishedPackage, dist: string): Promise<Buffer> {
  const tsc = compiler()
  if (tsc === undefined) throw new Error('The client cannot be packed without TypeScript: run npm ci.')
  const source = join(packages, of.name)
  // `npm run typecheck` checks the types; here they are only written.
  // Comments go into the type files only, where editors show them.
  for (const config of ['tsconfig.build.json', 'tsconfig.types.json']) {
    await runFile(process.execPath, [tsc, '-p', join(source, config), '--noCheck', '--outDir', dist])
  }
  const compiled = (await readdir(dist, { recursive: true, withFileTypes: true }))
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const written = await Promise.all(
    compiled.flatMap((file) => {
      const path = published(of, relative(dist, file).split(sep).join('/'))
      if (path === undefined) return []
      return [readFile(file, 'utf8').then((text) => [path, withRelativeImports(of, text, path)] as const)]
    }),
  )
  const manifest: Manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'))
  const executables = Object.values(manifest.bin ?? {})
  const texts = new Map([
    ['package.json', publishedManifest(of, manifest)],
    ['README.md', await readFile(join(source, 'README.md'), 'utf8')],
    ['LICENSE', await readFile(join(packages, '..', 'LICENSE'), 'utf8')],
    ...reached(of, new Map(written)),
    ...(await engineFiles(of)),
  ])
  return tarball(
    [...texts].map(([path, text]) => ({
      path: `package/${path}`,
      content: Buffer.from(text),
      isExecutable: executables.includes(path),
    })),
  )
}

/**
 * Where a compiled file stands in the package: its own in `dist/`, inlined ones in a folder of their package.
 * `undefined` for what is bundled instead.
 * @param file such as `protocol/src/fees.js`
 */
function published({ name, inlined, bundledEntries }: PublishedPackage, file: string): string | undefined {
  const [, from = '', path = ''] = /^(\w+)\/(?:src|generated)\/(.+)$/.exec(file) ?? []
  const isBundled = path === UNPUBLISHED_TYPES || bundledEntries.some((own) => path.startsWith(`${own}.`))
  if (from === name) return isBundled ? undefined : `dist/${path}`
  if (inlined.includes(from)) return `dist/${from}/${path}`
  if (bundledEntries.length > 0 && from === BUNDLED_PACKAGE) return undefined
  throw new Error(
    `${file} would be published with ${name}, which inlines ${inlined.join(', ') || 'nothing'}.`,
  )
}

/**
 * The bundled entries, with the engine and the libraries that it needs, in chunks that are loaded when they are first needed. Whoever
 * installs the package installs nothing else for it.
 */
async function engineFiles({
  name,
  bundledEntries,
}: PublishedPackage): Promise<(readonly [path: string, text: string])[]> {
  if (bundledEntries.length === 0) return []
  const folder = join(packages, name)
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: bundledEntries.map((file) => `src/${file}.ts`),
    outbase: 'src',
    outdir: 'dist',
    chunkNames: 'node/engine/[name]-[hash]',
    bundle: true,
    splitting: true,
    external: ['viem', 'viem/*'],
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    // Names stay readable: an installed package is read, and bundled again.
    minifyWhitespace: true,
    minifySyntax: true,
    write: false,
    legalComments: 'eof',
    logLevel: 'warning',
  })
  return outputFiles.map(({ path, text }) => [relative(folder, path).split(sep).join('/'), text] as const)
}

/** A compiled file's text, importing inlined packages by their place in this package: `@remit/protocol/fees` as `./protocol/fees.js`. */
function withRelativeImports({ inlined }: PublishedPackage, text: string, path: string): string {
  return text.replaceAll(
    /(\bfrom |\bimport\()(['"])@remit\/(\w+)\/([^'"]+)\2/g,
    (all, lead, quote, from, name) => {
      if (!inlined.includes(from)) return all
      const target = posix.relative(posix.dirname(path), `dist/${from}/${name}.js`)
      return `${lead}${quote}${target.startsWith('.') ? target : `./${target}`}${quote}`
    },
  )
}

/** The package's own files, and those of inlined packages that they import, directly or through others. */
function reached(
  { inlined }: PublishedPackage,
  files: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const isInlined = (path: string) => inlined.some((name) => path.startsWith(`dist/${name}/`))
  const found = new Map([...files].filter(([path]) => !isInlined(path)))
  // What is added to a map while it is iterated is visited too, so the imports of an added file are followed as well.
  for (const [path, text] of found) {
    for (const [, name = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.[jt]s['"]/g)) {
      const next = posix.join(posix.dirname(path), `${name}${path.endsWith('.d.ts') ? '.d.ts' : '.js'}`)
      const content = files.get(next)
      if (content !== undefined) found.set(next, content)
    }
  }
  return found
}

/** What is read of a package.json; the rest is copied. */
interface Manifest {
  readonly version: string
  readonly bin?: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** The `exports` name compiled files, and the package needs nothing of this repository but its peers. */
function publishedManifest({ exports: entries }: PublishedPackage, manifest: Manifest): string {
  const { private: _, devDependencies: __, exports: ___, scripts: ____, ...rest } = manifest
  const entry = (file: string) => ({ types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` })
  const exports = Object.entries(entries).map(([name, file]) => [name, entry(file)])
  // All packages have one version: a peer of this repository is the one that is served beside it.
  const peers = Object.entries(manifest.peerDependencies).map(([name, range]) => [
    name,
    range === '*' ? manifest.version : range,
  ])
  const all = {
    ...rest,
    peerDependencies: Object.fromEntries(peers),
    files: ['dist', 'README.md', 'LICENSE'],
    exports: { ...Object.fromEntries(exports), './package.json': './package.json' },
  }
  return `${JSON.stringify(all, undefined, 2)}\n`
}

/** In `client.js`, the dynamic imports of the engine and its operations name `engine.js`, which is served beside it. */
const engineAsFile: Plugin = {
  name: 'engine.js beside client.js',
  setup({ onResolve }) {
    onResolve({ filter: /(^\.\/engine|\/nodeOperations)\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './engine.js', external: true } : undefined,
    )
  },
}

/** One module for pages, with all that it imports. */
async function pageScript(entry: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    absWorkingDir: client,
    entryPoints: [entry],
    bundle: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    minify: true,
    write: false,
    plugins: entry === SCRIPTS['engine.js'] ? [] : [engineAsFile],
    banner: { js: `/*! ${packageJson.name} ${packageJson.version}, ${packageJson.license} */` },
    legalComments: 'eof',
    logLevel: 'warning',
  })
  const [output] = outputFiles
  if (output === undefined) throw new Error(`The bundler wrote no output for ${entry}.`)
  return output.contents
}

/** The path of TypeScript's `tsc`; `undefined` where it is not installed. */
function compiler(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve('typescript/package.json')
    const tsc = join(dirname(manifest), 'bin', 'tsc')
    return existsSync(tsc) ? tsc : undefined
  } catch {
    return undefined
  }
}
