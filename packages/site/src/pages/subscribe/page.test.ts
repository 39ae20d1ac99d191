import { TestToken } from '@remit/contracts/TestToken'
import { type PageInDom, usePageInDom } from '@remit/testing/support/browser/usePageInDom'
import { contractAt } from '@remit/testing/support/chain/contractAt'
import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { signerOf, useTestChain } from '@remit/testing/support/chain/useTestChain'
import { indexed } from '@remit/testing/support/service/indexed'
import { useTestService } from '@remit/testing/support/service/testService'
import { delegateTo } from '@remit/testing/support/wallets/delegateTo'
import { deploySmartAccounts } from '@remit/testing/support/wallets/deploySmartAccounts'
import { walletProvider } from '@remit/testing/support/wallets/walletProvider'
import { render } from 'preact'
import { expect, it } from 'vitest'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const service = await useTestService([chain])
const open = usePageInDom({
  load: () => import('../../main.ts'),
  leave: () => render(null, document.getElementById('site') ?? document.body),
})

async function subscribe(page: PageInDom, act = /^Subscribe and pay 2\.86/) {
  await page.says('2.857142')
  await page.press('Test wallet')
  await page.press('Review')
  await page.says('This was just tried out on the network')
  await page.press(act)
  await page.says('You are subscribed')
}

it('a stranger subscribes on a plan’s page, with one signature', async () => {
  const { alice } = chain.wallets
  const weekly = await protocol.create({ dueDay: 3 })
  await protocol.fund(chain.tokens.usdc, alice, { balance: 1_000_000_000n })
  await indexed(service, chain)
  const wallet = walletProvider({ rpcUrl: chain.url, account: alice })
  const page = await open(`${service.url}/subscribe/${weekly.id}`, wallet)
  await subscribe(page)
  expect(await protocol.subscribersOf(weekly)).toContain(alice)
  expect(wallet.requests.filter(({ method }) => method.startsWith('wallet_send'))).toHaveLength(1)
})

it('a smart account (ERC-4337) subscribes there too, by an operation that somebody else’s transaction carries', async () => {
  const accounts = await deploySmartAccounts(chain)
  const account = await accounts.of(signerOf(6))
  const weekly = await protocol.create({ dueDay: 3 })
  const { usdc } = chain.tokens
  await contractAt(chain.client, usdc, TestToken.abi).send(chain.wallets.provider, 'mint', [
    account.address,
    1_000_000_000n,
  ])
  await indexed(service, chain)
  const page = await open(`${service.url}/subscribe/${weekly.id}`, account)
  // It holds no ether: whoever carries the operation pays.
  await subscribe(page, /^Subscribe anyway/)
  expect(await protocol.subscribersOf(weekly)).toEqual([account.address])
  expect(account.requests.filter(({ method }) => method.startsWith('wallet_send'))).toHaveLength(1)
})

it('a wallet that has delegated its account (EIP-7702) subscribes there too', async () => {
  const accounts = await deploySmartAccounts(chain)
  const key = signerOf(3)
  await delegateTo(chain, key, accounts.delegate)
  const weekly = await protocol.create({ dueDay: 3 })
  await protocol.fund(chain.tokens.usdc, key.address, { balance: 1_000_000_000n })
  await indexed(service, chain)
  const page = await open(`${service.url}/subscribe/${weekly.id}`, accounts.delegated(key))
  await subscribe(page)
  expect(await protocol.subscribersOf(weekly)).toEqual([key.address])
})
