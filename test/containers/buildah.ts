import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll } from 'vitest'
import { findProgram } from '../support/programs/installed.ts'

const runFile = promisify(execFile)

const program = findProgram('buildah')

/**
 * For `describe.skipIf`. The base image is made from the packages of a Debian (see `makeBaseImage`). Root can build on
 * every machine; anybody else only where user namespaces are set up, which is not looked for here.
 */
export const canBuildImages =
  program !== undefined && findProgram('dpkg-query') !== undefined && process.getuid?.() === 0

/** A builder of container images that needs no daemon, with a storage of its own. */
export interface Buildah {
  /** Runs a command of buildah's and returns what it printed. Throws with what it complained of where it fails. */
  run(...args: readonly string[]): Promise<string>
  /** The whole command line, for what goes on running. */
  commandLine(...args: readonly string[]): string[]
}

/** The installed buildah. Its images and containers go when the test file ends. */
export function useBuildah(): Buildah {
  const folder = mkdtempSync(join(tmpdir(), 'remit-buildah-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  // Plain folders need no overlay file system, which is not to be had inside of most containers.
  const storage = [
    '--storage-driver',
    'vfs',
    '--root',
    join(folder, 'root'),
    '--runroot',
    join(folder, 'run'),
  ]
  return {
    async run(...args) {
      if (program === undefined) throw new Error('buildah is not installed')
      const { stdout } = await runFile(program, [...storage, ...args], { maxBuffer: 64 * 1024 * 1024 })
      return stdout.trim()
    },
    commandLine: (...args) => [program ?? '', ...storage, ...args],
  }
}
