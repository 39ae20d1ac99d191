import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { useTestChain } from '../support/chain/useTestChain.ts'

const { contract, chainId } = await useTestChain()

it.each([
  'README.md',
  'docs/client.md',
  'docs/start.md',
  'examples/node/subscribe.ts',
  'examples/browser/build.ts',
])('%s pins the address that the development chain’s contract has', async (file) => {
  const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
  const pinned = [...text.matchAll(/\b(\d+): '(0x[0-9a-fA-F]{40})'/g)].map(([, chain, address]) => [
    chain,
    address,
  ])
  expect(new Set(pinned.map(String))).toEqual(new Set([`${chainId},${contract}`]))
})
