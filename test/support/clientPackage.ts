import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll } from 'vitest'
import * as z from 'zod'

const runFile = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const client = join(root, 'client')

/** The client as npm would publish it, unpacked into a project of its own. */
export interface ClientPackage {
  /** A project that has it, and viem, in its node_modules. Removed when the file ends. */
  readonly project: string
  readonly tarball: string
  /** Paths in the tarball. */
  readonly files: readonly string[]
  readonly unpackedBytes: number
  /** Runs a program of this repository's node_modules/.bin in the project; throws with its output if it fails. */
  run(program: string, args: readonly string[]): Promise<string>
  /** Runs a script of the project in plain Node; throws with its output if it fails. */
  node(script: string, environment?: Record<string, string>): Promise<string>
}

export const Packed = z.tuple([
  z.object({
    filename: z.string(),
    unpackedSize: z.number(),
    files: z.array(z.object({ path: z.string() })),
  }),
])

/** Builds the package apart from client/dist, which another test may be building at the same time. */
export async function useClientPackage(): Promise<ClientPackage> {
  // Below node_modules, so that what is not linked here is found where the repository has it.
  const cache = join(root, 'node_modules', '.cache')
  await mkdir(cache, { recursive: true })
  const project = await mkdtemp(join(cache, 'remit-client-'))
  const remove = () => rm(project, { recursive: true, force: true })
  afterAll(remove)
  // A file that fails before its tests are known runs no afterAll.
  return packInto(project).catch(async (error: unknown) => {
    await remove()
    throw error
  })
}

async function packInto(project: string): Promise<ClientPackage> {
  const stage = join(project, 'stage')
  await mkdir(stage)
  for (const name of ['package.json', 'README.md', 'LICENSE']) await cp(join(client, name), join(stage, name))
  await execute(
    bin('tsc'),
    ['-p', join(client, 'tsconfig.build.json'), '--outDir', join(stage, 'dist')],
    root,
  )
  const [packed] = Packed.parse(
    JSON.parse(await execute('npm', ['pack', '--json', '--ignore-scripts', '--silent'], stage)),
  )
  const tarball = join(project, packed.filename)
  await rename(join(stage, packed.filename), tarball)
  await rm(stage, { recursive: true })
  await execute('tar', ['-xzf', tarball], project)

  const installed = join(project, 'node_modules', '@remit', 'client')
  await mkdir(dirname(installed), { recursive: true })
  await rename(join(project, 'package'), installed)
  await symlink(join(root, 'node_modules', 'viem'), join(project, 'node_modules', 'viem'))
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))

  return {
    project,
    tarball,
    files: packed.files.map(({ path }) => path),
    unpackedBytes: packed.unpackedSize,
    run: (program, args) => execute(bin(program), args, project),
    node: (script, environment = {}) => execute(process.execPath, [script], project, environment),
  }
}

const bin = (program: string) => join(root, 'node_modules', '.bin', program)

async function execute(
  program: string,
  args: readonly string[],
  cwd: string,
  environment: Record<string, string> = {},
): Promise<string> {
  try {
    const { stdout } = await runFile(program, args, {
      cwd,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
      maxBuffer: 64 * 1024 * 1024,
    })
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = z
      .looseObject({ stdout: z.string(), stderr: z.string() })
      .partial()
      .parse(error)
    throw new Error(`${program.replace(root, '')} failed:\n${stdout}${stderr}`, { cause: error })
  }
}
