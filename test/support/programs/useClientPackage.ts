import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { packClient } from '@remit/client/pack/packClient'
import { afterAll, inject } from 'vitest'
import * as z from 'zod'

const runFile = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The client as the service serves it and npm would publish it, unpacked into a project of its own. */
export interface ClientPackage {
  /** A project that has it, the hooks for React and viem in its node_modules. Removed when the file ends. */
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

/** The package, apart from packages/client/dist, which another test may be building at the same time. */
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

/** The files in which the service serves its client, made once for all workers of a run. Nobody writes there. */
export async function packedClient(): Promise<string> {
  const shared = join(inject('bundleFolder'), 'client')
  if (existsSync(join(shared, 'client.tgz'))) return shared
  const own = await mkdtemp(join(inject('bundleFolder'), 'client-'))
  await packClient(own)
  try {
    await rename(own, shared)
  } catch (error) {
    // Another worker made them at the same time.
    if (!existsSync(join(shared, 'client.tgz'))) throw error
  }
  return shared
}

async function packInto(project: string): Promise<ClientPackage> {
  await cp(await packedClient(), project, { recursive: true })
  const scope = join(project, 'node_modules', '@remit')
  await mkdir(scope, { recursive: true })
  for (const name of ['client', 'react']) {
    await execute('tar', ['-xzf', join(project, `${name}.tgz`)], project)
    await rename(join(project, 'package'), join(scope, name))
  }
  const tarball = join(project, 'client.tgz')
  const installed = join(scope, 'client')
  await symlink(join(root, 'node_modules', 'viem'), join(project, 'node_modules', 'viem'))
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))

  const found = await readdir(installed, { recursive: true, withFileTypes: true })
  const files = found.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))
  return {
    project,
    tarball,
    files: files.map((file) => relative(installed, file)),
    unpackedBytes: sizes.reduce((sum, size) => sum + size, 0),
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
