import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { useBundle } from '../support/programs/useBundle.ts'
import { root } from './snippets.ts'

/** Neither run by documents nor small. */
const LEFT = ['node_modules', '.git', 'data', 'dist', 'test', 'bench', 'subgraph', 'coverage']

/** Where commands are in the copy that a reader has installed. */
export const COMMANDS = '.commands'

/** The repository as a reader has it after installing, in a folder where commands may leave files behind. */
export async function useCopyOfRepository(): Promise<string> {
  const copy = mkdtempSync(join(tmpdir(), 'remit-readme-'))
  afterAll(() => rmSync(copy, { recursive: true, force: true }))
  for (const name of readdirSync(root)) {
    if (LEFT.includes(name)) continue
    const isKept = (path: string) => !/\/(node_modules|dist)$/.test(path)
    cpSync(join(root, name), join(copy, name), { recursive: true, filter: isKept })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  // The command that comes with the client, as it is found once that is installed.
  mkdirSync(join(copy, COMMANDS))
  const bundle = await useBundle('client/src/cli/main.ts')
  writeFileSync(join(copy, COMMANDS, 'remit'), `#!/bin/sh\nexec node ${bundle} "$@"\n`, { mode: 0o755 })
  return copy
}
