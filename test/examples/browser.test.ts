import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { buildPages } from '../../examples/browser/build.ts'
import { createPageServer } from '../../examples/browser/serve.ts'
import { signatures } from '../support/browser/pageWallet.ts'
import { shoot } from '../support/browser/shoot.ts'
import { browserIsInstalled } from '../support/browser/useBrowser.ts'
import { useSite } from '../support/browser/useSite.ts'
import { freePort } from '../support/service/freePort.ts'

const { chain, protocol, service, visit } = await useSite({ API_CORS_ALLOWED_ORIGINS: 'loopback' })
const { alice, bob } = chain.wallets
const weekly = await protocol.create({ dueDay: 3 })
for (const account of [alice, bob])
  await protocol.fund(chain.tokens.usdc, account, { balance: 1_000_000_000n })

const outdir = mkdtempSync(join(tmpdir(), 'remit-pages-'))
const server = createPageServer(await buildPages({ service: service.url, outdir }))
const port = await freePort()
server.listen(port, '127.0.0.1')
await once(server, 'listening')
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(outdir, { recursive: true, force: true })
})
const pages = `http://localhost:${port}`

describe.skipIf(!browserIsInstalled)('the browser example', () => {
  it('has the button on somebody’s page, and says what it hears', async () => {
    const { page, problems } = await visit('/plans')
    await page.goto(`${pages}/?plan=${weekly.id}`)
    await shoot(page, 'example-1-shop')
    const opening = page.context().waitForEvent('page')
    await page.getByRole('button', { name: 'Subscribe to the coffee' }).click()
    const popup = await opening
    await page.getByText('The window is open.').waitFor()
    expect(popup.url()).toBe(`${service.url}/subscribe/${weekly.id}?chainId=${chain.chainId}`)
    await popup.close()
    await page.getByText('Perhaps another time.').waitFor()
    expect(problems).toEqual([])
  })

  it('subscribes over the client with what it has shown, one by one and with one signature', async () => {
    for (const [account, sendsCalls] of [
      [alice, true],
      [bob, false],
    ] as const) {
      const { page, wallets, problems } = await visit('/plans', { wallets: [{ account, sendsCalls }] })
      await page.goto(`${pages}/own.html?plan=${weekly.id}`)
      await page.getByText('10 USDC, weekly').waitFor()
      await page.getByRole('button', { name: 'Connect Test wallet' }).click()
      await page.getByText('Your wallet: -2.857142 USDC').waitFor()
      await page.getByRole('button', { name: 'Sign and send' }).click()
      await page.getByText(/^Subscribed in 0x[0-9a-f]{64}$/).waitFor()
      expect(await protocol.subscribersOf(weekly)).toContain(account)
      expect(signatures(wallets[0])).toEqual(
        sendsCalls
          ? ['wallet_sendCalls']
          : ['wallet_sendCalls', 'eth_sendTransaction', 'eth_sendTransaction'],
      )
      expect(problems).toEqual([])
    }
  }, 40_000)

  it('says in a sentence why it cannot, and sends nothing', async () => {
    const { page, wallets } = await visit('/plans', { wallets: [{ account: chain.wallets.janitor }] })
    await page.goto(`${pages}/own.html?plan=${weekly.id}`)
    await page.getByRole('button', { name: 'Connect Test wallet' }).click()
    await page
      .getByRole('alert')
      .getByText(/holds 0 USDC/)
      .waitFor()
    expect(await page.getByRole('button', { name: 'Sign and send' }).count()).toBe(0)
    expect(signatures(wallets[0])).toEqual([])
  })
})
