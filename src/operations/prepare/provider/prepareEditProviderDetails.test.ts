import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { signerOf, useTestChain } from '../../../../test/support/chain/useTestChain.ts'
import { lasting, useTestService } from '../../../../test/support/service/testService.ts'
import { expectKept } from '../../../../test/support/wallets/expectKept.ts'

const chain = await useTestChain()
const { provider, stranger } = chain.wallets
const service = await useTestService([chain])

const profile = {
  description: 'Roasts coffee ☕',
  company: 'Coffee Ltd',
  url: 'https://coffee.example',
  domain: 'coffee.example',
  email: 'mail@coffee.example',
  misc: '',
}

async function prepare(change: Record<string, unknown> = {}) {
  await service.caughtUp()
  return service.post('/prepare/edit_provider_details', { from: provider, ...profile, ...change })
}

it('replaces the profile, as was promised', async () => {
  const prepared = await prepare()
  expect(prepared.body).toMatchObject({
    simulation: { calls: [{ events: [{ event: 'ProvDetailsLog', args: profile }] }], balanceChanges: [] },
  })
  await expectKept({ chain, service, signer: signerOf(1) }, prepared)
})

it('says what it found and what to do', async () => {
  const { preflight, warnings, instructions } = lasting((await prepare()).body)
  expect({ preflight, warnings, instructions }).toMatchInlineSnapshot(`
    {
      "instructions": [
        "Connect the wallet 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 to Test chain 31337 (chain id 31337).",
        "Sign and send transaction 1 of 1: replace the provider profile of 0x70997970C51812dc3A010C7d01b50e0d17dc79C8.",
        "Poll POST /transactions/status?chainId=31337 with {"txHash": "<hash>"} until \`confirmed\` is true.",
      ],
      "preflight": {
        "provider": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      },
      "warnings": [],
    }
  `)
})

it('is open to anybody, before a first subscription too', async () => {
  const empty = { description: '', company: '', url: '', domain: '', email: '', misc: '' }
  await expectKept({ chain, service, signer: signerOf(7) }, await prepare({ from: stranger, ...empty }))
  const { body } = await prepare({ from: stranger, readinessOnly: true })
  expect(body).toMatchObject({ ready: true, issues: [], details: { provider: stranger } })
})

it('warns a wallet without the ether to send it', async () => {
  await chain.client.setBalance({ address: provider, value: 1n })
  await chain.client.mine({ blocks: 1 })
  expect((await prepare()).body.warnings).toMatchObject([{ code: 'INSUFFICIENT_GAS_FUNDS' }])
})

describe('invalid details', () => {
  it.each([
    ...Object.keys(profile).map((field) => [field, 'é'.repeat(128)] as const),
    ...Object.keys(profile).map((field) => [field, 'a\nb'] as const),
    ...Object.keys(profile).map((field) => [field, undefined] as const),
    ['url', 'http://coffee.example'] as const,
    ['url', 'coffee.example'] as const,
    ['url', `https://coffee.example/${'x'.repeat(255)}`] as const,
  ])('are refused, naming %s: %j', async (path, given) => {
    const { status, body } = await prepare({ [path]: given })
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
    const issues = z.array(z.object({ path: z.string() })).parse(body.issues)
    expect([...new Set(issues.map((issue) => issue.path))]).toEqual([path])
  })
})
