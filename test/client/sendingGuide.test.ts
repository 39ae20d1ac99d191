import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { bytesToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { signerOf } from '../support/chain/useTestChain.ts'
import { useClientPackage } from '../support/programs/useClientPackage.ts'
import { SIGNERS, useSendingGround } from './sendingGround.ts'

const packed = await useClientPackage()
const { chain, protocol, service, weekly } = await useSendingGround()
const { bob } = chain.wallets

/** The guide's blocks about sending, as a program about a subscription that is there. */
async function guide(): Promise<string> {
  const text = await readFile(new URL('../../docs/client.md', import.meta.url), 'utf8')
  const [, sending = ''] = text.split(/^## Sending/m)
  const blocks = [...sending.matchAll(/^```ts\n(.*?)^```/gms)].map(([, block]) => block)
  expect(blocks.length).toBeGreaterThanOrEqual(4)
  const before = [
    "import { createClient } from '@remit/client'",
    `const client = createClient({ url: '${service.url}', contracts: { ${chain.chainId}: '${chain.contract}' } })`,
    `const { subscription } = await client.getSubscription({ id: '${weekly.id}' })`,
  ]
  return [...before, ...blocks]
    .join('\n')
    .replaceAll('https://rpc.example', chain.url)
    .replaceAll('https://remit.example', service.url)
}

describe('the guide’s blocks about sending', () => {
  it('compile strictly against the package', async () => {
    await writeFile(join(packed.project, 'sending.ts'), await guide())
    const compilerOptions = {
      module: 'nodenext',
      target: 'ES2022',
      lib: ['ES2022', 'DOM'],
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      noEmit: true,
    }
    await writeFile(
      join(packed.project, 'tsconfig.sending.json'),
      JSON.stringify({ compilerOptions, files: ['sending.ts'] }),
    )
    await packed.run('tsc', ['-p', 'tsconfig.sending.json'])
  })

  it('do what they say, in plain Node', async () => {
    // Bob is due on Wednesday; alice, whose key the program has, subscribes and leaves after that.
    await protocol.join(weekly, bob)
    await chain.advanceDays(3)
    await service.caughtUp()
    const { code } = await transform(await guide(), { loader: 'ts', format: 'esm' })
    await writeFile(join(packed.project, 'sending.js'), code)
    const key = signerOf(SIGNERS.alice).getHdKey().privateKey
    if (key === null) throw new Error('The mnemonic has no key')
    const said = await packed.node('sending.js', { WALLET_KEY: bytesToHex(key) })
    expect(said).toMatch(/^prepared \(0 of 2\)$/m)
    expect(said).toMatch(/^mined \(2 of 2\)$/m)
    expect(said).toMatch(/^subscribed in 0x[0-9a-f]{64}$/m)
    expect(said).toMatch(/^charged at once: \d+(\.\d+)? for fees$/m)
    expect(said).toMatch(/^can leave$/m)
    expect(said).toMatch(/^the allowance is \d+ now$/m)
    expect(said).toMatch(/^there is room for it$/m)
    expect(said).toMatch(/^followed to block \d+$/m)
    expect(said).toMatch(/^left, and the allowance is 0$/m)
    expect(said).toMatch(/^1 paid, 0 dropped, 0 to go\nearned 0\.2 of 0x/m)
  })
})
