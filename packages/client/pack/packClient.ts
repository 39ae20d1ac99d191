import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, posix, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import packageJson from '../package.json' with { type: 'json' }
import { tarball } from './tarball.ts'

const runFile = promisify(execFile)
const client = fileURLToPath(new URL('..', import.meta.url))

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
 * Makes the two files that the service serves its client as: `client.tgz` as npm installs it, and `client.js`
 * for pages. The same sources give the same bytes.
 * @param folder receives both files; each is renamed into place, so nobody reads half of one
 */
export async function packClient(folder: string = PACKED): Promise<void> {
  await mkdir(folder, { recursive: true })
  // Beside the result, so that it can be renamed into its place.
  const stage = await mkdtemp(join(folder, '.stage-'))
  try {
    const [archive, script] = await Promise.all([packageArchive(join(stage, 'dist')), pageScript()])
    for (const [name, content] of [['client.tgz', archive] as const, ['client.js', script] as const]) {
      await writeFile(join(stage, name), content)
      await rename(join(stage, name), join(folder, name))
    }
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

/** @param dist an empty or absent folder for what is compiled */
async function packageArchive(dist: string): Promise<Buffer> {
  const tsc = compiler()
  if (tsc === undefined) throw new Error('The client cannot be packed without TypeScript: run npm ci.')
  // `npm run typecheck` checks the types; here they are only written.
  // Comments go into the type files only, where editors show them.
  for (const config of ['tsconfig.build.json', 'tsconfig.types.json']) {
    await runFile(process.execPath, [tsc, '-p', join(client, config), '--noCheck', '--outDir', dist])
  }
  const compiled = (await readdir(dist, { recursive: true, withFileTypes: true }))
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const written = await Promise.all(
    compiled.map(async (file) => {
      const path = published(relative(dist, file).split(sep).join('/'))
      return [path, withRelativeImports(await readFile(file, 'utf8'), path)] as const
    }),
  )
  const executables = Object.values(packageJson.bin)
  const entries = [...reached(new Map(written))].map(([path, text]) => ({
    path: `package/${path}`,
    content: Buffer.from(text),
    isExecutable: executables.includes(path),
  }))
  const texts = ['README.md', 'LICENSE'].map(async (name) => ({
    path: `package/${name}`,
    content: await readFile(join(client, name)),
    isExecutable: false,
  }))
  const manifest = {
    path: 'package/package.json',
    content: Buffer.from(publishedManifest()),
    isExecutable: false,
  }
  return tarball([manifest, ...(await Promise.all(texts)), ...entries])
}

/**
 * Where a compiled file stands in the package: the client's own in `dist/`, those of the protocol in `dist/protocol/`.
 * @param file such as `protocol/src/fees.js`
 */
function published(file: string): string {
  const [, name, path] = /^(client|protocol)\/src\/(.+)$/.exec(file) ?? []
  if (name === undefined)
    throw new Error(`${file} would be published with the client, which may use the protocol alone.`)
  return name === 'client' ? `dist/${path}` : `dist/${name}/${path}`
}

/** The protocol is no package of its own for those who install the client. */
function withRelativeImports(text: string, path: string): string {
  return text.replaceAll(
    /(\bfrom |\bimport\()(['"])@remit\/protocol\/([^'"]+)\2/g,
    (_, lead, quote, name) => {
      const target = posix.relative(posix.dirname(path), `dist/protocol/${name}.js`)
      return `${lead}${quote}${target.startsWith('.') ? target : `./${target}`}${quote}`
    },
  )
}

/** The client's own files, and those of the protocol that it needs. */
function reached(files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const found = new Map([...files].filter(([path]) => !path.startsWith('dist/protocol/')))
  // A map may grow while it is walked.
  for (const [path, text] of found) {
    for (const [, name = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
      const next = posix.join(posix.dirname(path), `${name}${path.endsWith('.d.ts') ? '.d.ts' : '.js'}`)
      const content = files.get(next)
      if (content !== undefined) found.set(next, content)
    }
  }
  return found
}

/** The doors of the package are to compiled files, and it needs nothing of this repository. */
function publishedManifest(): string {
  const { private: _, devDependencies: __, exports: ___, scripts: ____, ...manifest } = packageJson
  const door = (file: string) => ({ types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` })
  const doors = {
    '.': door('index'),
    './development': door('development/findDevService'),
    './package.json': './package.json',
  }
  return `${JSON.stringify({ ...manifest, files: ['dist', 'README.md', 'LICENSE'], exports: doors }, undefined, 2)}\n`
}

async function pageScript(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    absWorkingDir: client,
    entryPoints: ['pack/page.ts'],
    bundle: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    minify: true,
    write: false,
    banner: { js: `/*! ${packageJson.name} ${packageJson.version}, ${packageJson.license} */` },
    legalComments: 'eof',
    logLevel: 'warning',
  })
  const [output] = outputFiles
  if (output === undefined) throw new Error('The bundler wrote no output for pack/page.ts.')
  return output.contents
}

function compiler(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve('typescript/package.json')
    const tsc = join(dirname(manifest), 'bin', 'tsc')
    return existsSync(tsc) ? tsc : undefined
  } catch {
    return undefined
  }
}
