import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, preview } from 'vite'
import { afterAll, describe, expect, it } from 'vitest'
import { signatures } from '../support/browser/pageWallet.ts'
import { shoot } from '../support/browser/shoot.ts'
import { browserIsInstalled } from '../support/browser/useBrowser.ts'
import { useSite } from '../support/browser/useSite.ts'
import { freePort } from '../support/service/freePort.ts'

const { chain, protocol, service, visit } = await useSite({ API_CORS_ALLOWED_ORIGINS: 'loopback' })
const { alice, bob, janitor } = chain.wallets
const weekly = await protocol.create({ dueDay: 3 })
for (const account of [alice, bob])
  await protocol.fund(chain.tokens.usdc, account, { balance: 1_000_000_000n })

const outDir = mkdtempSync(join(tmpdir(), 'remit-react-'))
const example = {
  configFile: fileURLToPath(new URL('../../examples/react/vite.config.ts', import.meta.url)),
  logLevel: 'error',
  build: { outDir, emptyOutDir: true },
} as const
await build({
  ...example,
  define: {
    'import.meta.env.VITE_REMIT_URL': JSON.stringify(service.url),
    'import.meta.env.VITE_RPC_URL': JSON.stringify(chain.url),
  },
})
const port = await freePort()
const server = await preview({ ...example, preview: { port, host: '127.0.0.1', strictPort: true } })
afterAll(async () => {
  await server.close()
  rmSync(outDir, { recursive: true, force: true })
})
const page = `http://127.0.0.1:${port}/?plan=${weekly.id}`

describe.skipIf(!browserIsInstalled)('the React example', () => {
  it('shows a plan and an outlook, and subscribes, one by one and with one signature', async () => {
    for (const [account, sendsCalls] of [
      [alice, true],
      [bob, false],
    ] as const) {
      // Until its user has let the page see the account, a wallet tells none.
      const stranger = { account, sendsCalls, refuses: { eth_accounts: 4100 } }
      const { page: shown, wallets, problems } = await visit('/plans', { wallets: [stranger] })
      await shown.goto(page)
      await shown.getByText(/^10 USDC, weekly, next on \d{4}-\d\d-\d\d$/).waitFor()
      await shown.getByRole('button', { name: 'Connect Test wallet' }).click()
      await shown.getByText('0 charges in the next 30 days').waitFor()
      await shown.getByRole('button', { name: 'Subscribe' }).click()
      await shown.getByText(/^It is in transaction 0x[0-9a-f]{64}\.$/).waitFor()
      // What the page had read before is read again, at a block that has the transaction.
      await shown.getByText('You are a member.').waitFor()
      await shown.getByText(/^[45] charges in the next 30 days$/).waitFor()
      await shoot(shown, `example-react-${sendsCalls}`)
      expect(await protocol.subscribersOf(weekly)).toContain(account)
      expect(signatures(wallets[0])).toEqual(
        sendsCalls
          ? ['wallet_sendCalls']
          : ['wallet_sendCalls', 'eth_sendTransaction', 'eth_sendTransaction'],
      )
      // Who has never subscribed is no member yet: that answer is a 404.
      expect(problems.filter((problem) => !problem.includes('404'))).toEqual([])
    }
  }, 60_000)

  it('says in a sentence why it cannot, and sends nothing', async () => {
    const { page: shown, wallets } = await visit('/plans', { wallets: [{ account: janitor }] })
    await shown.goto(page)
    // This wallet knows the page already: wagmi connects it by itself.
    await shown.getByRole('button', { name: 'Subscribe' }).click()
    await shown
      .getByRole('alert')
      .getByText(/holds 0 USDC/)
      .waitFor()
    await shown.getByRole('button', { name: 'Try again' }).waitFor()
    expect(signatures(wallets[0])).toEqual([])
  })
})
