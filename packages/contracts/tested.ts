import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'

// The suites of the contracts take minutes, and only a change of the contracts or of what runs them can break them.
// So what they last passed with is committed, and `npm run test:long` runs them only where that has changed.

const root = resolve(import.meta.dirname, '../..')
const RECORD = join(root, 'packages/contracts/tested.sha256')

/** The sources as they were compiled (with compiler and settings), and the lives that the contract must reproduce. */
const DATA = ['packages/contracts/generated/sources.json', ...jsonIn('test/recorded')]

/** The hash of sources, tests, compiler and anvil. */
export function contractsHash(): string {
  const hash = createHash('sha256')
  for (const file of [...DATA, ...testsAndWhatTheyShare()]) {
    hash.update(`${file}\0${readFileSync(join(root, file), 'utf8').replaceAll('\r\n', '\n')}\0`)
  }
  return hash.update(anvilVersion()).digest('hex')
}

/** Whether the suites of the contracts have passed with just this. */
export function contractsAreTested(): boolean {
  return existsSync(RECORD) && readFileSync(RECORD, 'utf8').trim() === contractsHash()
}

/** To be called only where all suites of the contracts have passed. */
export function recordTestedContracts(): void {
  writeFileSync(RECORD, `${contractsHash()}\n`)
}

function testsAndWhatTheyShare(): string[] {
  return readdirSync(join(root, 'packages/contracts'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('generated'))
    .map((file) => `packages/contracts/${file.replaceAll('\\', '/')}`)
    .sort()
}

function jsonIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.json'))
    .map((file) => `${folder}/${file}`)
    .sort()
}

function anvilVersion(): string {
  const manifest = readFileSync(join(root, 'node_modules/@foundry-rs/anvil/package.json'), 'utf8')
  return z.object({ version: z.string() }).parse(JSON.parse(manifest)).version
}
