import { describe, expect, it } from 'vitest'
import { buildSiteOnce } from './support/browser/buildSiteOnce.ts'
import { pressOn } from './support/browser/tabTo.ts'
import { browserIsInstalled, useBrowser } from './support/browser/useBrowser.ts'
import { protocolOn } from './support/chain/protocolOn.ts'
import { signerOf, useTestChain } from './support/chain/useTestChain.ts'
import { useTestService } from './support/service/testService.ts'
import { signAndSend } from './support/wallets/signAndSend.ts'

const home = await useTestChain()
const other = await useTestChain({ chainId: 4242, terms: { callerFee: 10_500n, maxRemits: 3n } })
await buildSiteOnce()
const service = await useTestService([home, other])
const browser = useBrowser()

describe('two chains in one service', () => {
  it('are told apart by chainId, decimal or CAIP-2, the default being the one that is named', async () => {
    const byDefault = await service.get('/protocol/state')
    const decimal = await service.get('/protocol/state?chainId=4242')
    const caip2 = await service.get('/protocol/state?chainId=eip155:4242')
    expect(byDefault.body).toMatchObject({ chainId: 31337, callerFeePercent: 2, maxRemits: 25 })
    expect(decimal.body).toMatchObject({ chainId: 4242, callerFeePercent: 5, maxRemits: 3 })
    expect(caip2.body).toEqual(decimal.body)
  })

  it('stand in the catalog beside those that cannot be asked', async () => {
    const { body } = await service.get('/catalog')
    expect(body).toMatchObject({
      chainId: 31337,
      chains: [
        { chainId: 8453, rest: false, mcp: false, default: false },
        { chainId: 84532, rest: false, mcp: false, default: false },
        { chainId: 31337, caip2: 'eip155:31337', rest: true, mcp: true, default: true },
        { chainId: 4242, caip2: 'eip155:4242', rest: true, mcp: true, default: false },
      ],
    })
  })

  it('are both in the status, and those that cannot be asked make nothing degraded', async () => {
    await service.caughtUp()
    const { body } = await service.get('/status')
    expect(body).toMatchObject({
      status: 'ok',
      chains: [
        { chainId: 31337, rpc: { ok: true } },
        { chainId: 4242, rpc: { ok: true } },
      ],
    })
  })

  it('are prepared for, signed on and followed each by its own id', async () => {
    const protocol = protocolOn(other)
    const subscription = await protocol.create()
    await protocol.fund(other.tokens.usdc, other.wallets.alice, { balance: 1_000_000_000n })
    await service.caughtUp()
    const body = { from: other.wallets.alice, id: subscription.id }
    expect((await service.post('/prepare/subscribe_by_id', body)).status).toBe(404)
    const prepared = await service.post('/prepare/subscribe_by_id?chainId=4242', body)
    expect(prepared.body).toMatchObject({
      chainId: 4242,
      eip5792: { chainId: '0x1092' },
      unsignedTransactions: [{ chainId: 4242 }, { chainId: 4242 }],
    })
    const { hashes } = await signAndSend(other, signerOf(3), prepared.body)
    await service.caughtUp()
    const txHash = hashes[1]
    const there = await service.post('/transactions/status?chainId=4242', { txHash })
    expect(there.body).toMatchObject({ chainId: 4242, status: 'success' })
    const here = await service.post('/transactions/status', { txHash })
    expect(here.body).toMatchObject({ chainId: 31337, status: 'unknown' })
  })
})

describe.skipIf(!browserIsInstalled)('a page over two chains', () => {
  it('goes to the other one by keyboard, and no sooner than that is chosen', async () => {
    const { page } = await browser.open()
    await page.goto(`${service.url}/keeper`)
    await pressOn(page, page.getByRole('button', { name: 'Chain: ' }))
    const choice = page.getByRole('dialog', { name: 'Show another chain' })
    await choice.getByRole('link').nth(1).waitFor()
    expect(new URL(page.url()).search).toBe('')
    await pressOn(page, choice.locator('a:not([aria-current])'))
    await page.waitForURL(`${service.url}/keeper?chainId=4242`)
  })
})
