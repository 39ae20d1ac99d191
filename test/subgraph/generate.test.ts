import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { generatedFiles, manifest } from '../../subgraph/generate.ts'

const FOLDER = join(import.meta.dirname, '../../subgraph')
const textOf = (name: string) => readFileSync(join(FOLDER, name), 'utf8')

test.each([...generatedFiles()])(
  'subgraph/%s is what `npx tsx subgraph/generate.ts` writes',
  (name, text) => {
    expect(textOf(name)).toBe(text)
  },
)

test('the manifest of another chain names its network, contract and first block', () => {
  const address = `0x${'ab'.repeat(20)}`
  const made = manifest({ network: 'gnosis', address, startBlock: 12 })
  expect(made).toContain('network: gnosis\n')
  expect(made).toContain(`address: "${address}"\n`)
  expect(made).toContain('startBlock: 12\n')
  expect(made).not.toContain('$')
})

test('the lock file names no registry host', () => {
  expect(textOf('package-lock.json')).not.toMatch(/"resolved"/)
})
