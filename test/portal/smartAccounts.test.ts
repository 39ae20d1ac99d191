import { SmartAccount } from '@remit/contracts/SmartAccount'
import { encodeFunctionData } from 'viem'
import { expect, it } from 'vitest'
import { signerOf, useTestChain } from '../support/chain/useTestChain.ts'
import { useTestService } from '../support/service/testService.ts'
import { delegateTo } from '../support/wallets/delegateTo.ts'
import { deploySmartAccounts } from '../support/wallets/deploySmartAccounts.ts'
import { Browser } from './Browser.ts'

const chain = await useTestChain()
const accounts = await deploySmartAccounts(chain)
await chain.keep()
const service = await useTestService([chain], { PORTAL: 'open', LIMIT_NEW_KEYS_DAILY: '1000' })

const [owner, other] = [signerOf(6), signerOf(7)]
const MAKE_KEY = ['POST', '/developer/keys', {}] as const

async function signIn(wallet: Parameters<Browser['signIn']>[0]) {
  await service.caughtUp()
  const browser = new Browser(service, chain.chainId, () => 0)
  const { status } = await browser.signIn(wallet)
  return { browser, status }
}

it('the owner of a smart account (ERC-4337) signs in in its name, before it is deployed and after', async () => {
  const account = await accounts.of(owner)
  const before = await signIn(account)
  expect(before.status).toBe(201)
  expect((await before.browser.ask(...MAKE_KEY)).status).toBe(201)
  expect(await chain.client.getCode(account)).toBeUndefined()

  await account.execute([])
  expect(await chain.client.getCode(account)).toBeDefined()
  const after = await signIn(account)
  expect(after.status).toBe(201)
  expect((await after.browser.ask('GET', '/developer/keys')).body).toMatchObject({ keys: [{}] })

  const stranger = { address: account.address, signMessage: other.signMessage }
  expect((await signIn(stranger)).status).toBe(401)
})

it('whoever owns a smart account no longer has its sessions no longer', async () => {
  const account = await accounts.of(owner)
  const { browser } = await signIn(account)
  const data = encodeFunctionData({ abi: SmartAccount.abi, functionName: 'setOwner', args: [other.address] })
  await account.execute([{ to: account.address, data }])
  await service.caughtUp()
  expect((await browser.ask(...MAKE_KEY)).status).toBe(401)
  expect((await signIn({ address: account.address, signMessage: other.signMessage })).status).toBe(201)
})

it('a wallet that has delegated its account (EIP-7702) signs in by its own key, and by whom its code names', async () => {
  await delegateTo(chain, owner, accounts.delegate)
  expect(await chain.client.getCode(owner)).toBe(`0xef0100${accounts.delegate.slice(2).toLowerCase()}`)
  const byKey = await signIn(owner)
  expect(byKey.status).toBe(201)

  const byOther = { address: owner.address, signMessage: other.signMessage }
  expect((await signIn(byOther)).status).toBe(401)
  const data = encodeFunctionData({ abi: SmartAccount.abi, functionName: 'setOwner', args: [other.address] })
  await accounts.delegated(owner).execute([{ to: owner.address, data }])
  const byCode = await signIn(byOther)
  expect(byCode.status).toBe(201)
  // The key stays the wallet's, whatever its code says.
  expect((await byKey.browser.ask(...MAKE_KEY)).status).toBe(201)
  expect((await byCode.browser.ask('GET', '/developer/keys')).body).toMatchObject({ keys: [{}] })
})
