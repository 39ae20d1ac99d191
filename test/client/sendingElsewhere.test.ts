import { createClient } from '@remit/client/testing/createClient'
import { createWalletClient, custom, erc20Abi } from 'viem'
import { expect, it } from 'vitest'
import { protocolOn, units } from '../support/chain/protocolOn.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { useTestService } from '../support/service/testService.ts'
import { walletProvider } from '../support/wallets/walletProvider.ts'
import { QUICK } from './sendingGround.ts'

// What an attacker sets up: a contract of their own on chain 1, with the protocol's interface and a subscription of his, and
// a service over it, which prepares and proves everything as it should.
const chain = await useTestChain({ chainId: 1 })
const protocol = protocolOn(chain)
const { alice, stranger: attacker } = chain.wallets
const { usdc } = chain.tokens
const trap = await protocol.create({ provider: attacker, amount: units('1000000'), frequency: 1, dueDay: 15 })
await protocol.fund(usdc, alice, { balance: 2_000_000_000_000n })
await chain.keep()
const service = await useTestService([chain])

/** A wallet that says yes to everything, and what it was asked that is not reading. */
function trustfulWallet(options: { chainId?: number; sendsCalls?: boolean } = {}) {
  const provider = walletProvider({ rpcUrl: chain.url, account: alice, ...options })
  const wallet = createWalletClient({ transport: custom(provider) })
  const asked = () => provider.requests.filter(({ method }) => /^(wallet_|eth_send|eth_sign)/.test(method))
  return { wallet, asked }
}

async function expectNothingLost(): Promise<void> {
  expect(await protocol.balanceOf(usdc, alice)).toBe(2_000_000_000_000n)
  const args = [alice, chain.contract] as const
  const allowance = { address: usdc, abi: erc20Abi, functionName: 'allowance', args } as const
  expect(await chain.client.readContract(allowance)).toBe(0n)
}

it.each([true, false])(
  'loses nothing to a service that names chain 1 and its own contract there (wallet_sendCalls: %s)',
  async (sendsCalls) => {
    const client = createClient({ url: service.url, retries: 0 })
    const { wallet, asked } = trustfulWallet({ sendsCalls })
    const sent = client.subscribe({ id: trap.id }).send(wallet, QUICK)
    await expect(sent).rejects.toMatchObject({ code: 'UNKNOWN_CONTRACT', chainId: 1, sent: [] })
    expect(asked()).toEqual([])
    await expectNothingLost()
  },
)

it('signs nothing that was shown for a chain that the service names, even if switching is allowed', async () => {
  const client = createClient({
    url: service.url,
    retries: 0,
    contracts: { 31337: '0x5FbDB2315678afecb367f032d93F642f64180aa3' },
    // Whatever chain is asked for, this service answers for its own.
    fetch: (address, init) => {
      const url = new URL(String(address))
      url.searchParams.delete('chainId')
      return fetch(url, init)
    },
  })
  const { wallet, asked } = trustfulWallet({ chainId: 31_337 })
  const flow = client.subscribe({ id: trap.id })
  const sent = flow.send(wallet, { ...QUICK, switchChain: true, prepared: await flow.prepare(alice) })
  await expect(sent).rejects.toThrow('it is for chain 1 and not for 31337')
  expect(asked()).toEqual([])
  await expectNothingLost()
})

it('accepts the contract that the service names only if the user named it, on the wallet’s chain', async () => {
  const targets: string[] = []
  const client = createClient({
    url: service.url,
    retries: 0,
    trustServiceForContracts: true,
    fetch: (address, init) => {
      targets.push(new URL(String(address)).search)
      return fetch(address, init)
    },
  })
  const { wallet } = trustfulWallet()
  await client.subscribe({ id: trap.id }).send(wallet, QUICK)
  expect(await protocol.subscribersOf(trap)).toEqual([alice])
  expect(new Set(targets)).toEqual(new Set(['?chainId=1']))
})
