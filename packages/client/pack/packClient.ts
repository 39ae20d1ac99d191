import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import packageJson from '../package.json' with { type: 'json' }
import { type TarEntry, tarball } from './tarball.ts'

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
  const executables = Object.values(packageJson.bin)
  const entry = async (path: string, file: string): Promise<TarEntry> => ({
    path: `package/${path}`,
    content: await readFile(file),
    isExecutable: executables.includes(path),
  })
  const compiled = (await readdir(dist, { recursive: true, withFileTypes: true }))
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const inPackage = (file: string) => join('dist', relative(dist, file)).split(sep).join('/')
  return tarball(
    await Promise.all([
      ...['package.json', 'README.md', 'LICENSE'].map((name) => entry(name, join(client, name))),
      ...compiled.map((file) => entry(inPackage(file), file)),
    ]),
  )
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
