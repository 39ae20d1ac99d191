import { type ChildProcess, spawn } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { wrapFetchWithSIWx } from '@x402/extensions/sign-in-with-x'
import { afterAll, describe, expect, it } from 'vitest'
import { Browser } from '../portal/Browser.ts'
import { buildSiteOnce } from '../support/browser/buildSiteOnce.ts'
import { giveWallet } from '../support/browser/pageWallet.ts'
import { browserIsInstalled, useBrowser } from '../support/browser/useBrowser.ts'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { signerOf, useTestChain } from '../support/chain/useTestChain.ts'
import { useClientPackage } from '../support/programs/useClientPackage.ts'
import { indexed } from '../support/service/indexed.ts'
import { useTestService } from '../support/service/testService.ts'

await buildSiteOnce()
// Passes are checked by the clock of this machine, so the chain is of today.
const today = Math.floor(Date.now() / 86_400_000)
const chain = await useTestChain({ timestamp: today * 86_400 })
const protocol = protocolOn(chain)
const { alice } = chain.wallets
// Due in some days, whatever day today is.
const weekday = ((today + 3) % 7) + 1
const weekly = await protocol.create({ dueDay: ((weekday + 2) % 7) + 1 })
await protocol.join(weekly, alice, { allowance: 1_000_000_000n })
await chain.keep()
const service = await useTestService([chain], {}, () => Date.now())
const member = Array.from({ length: 12 }, (_, index) => signerOf(index)).find(
  ({ address }) => address === alice,
)

const { project } = await useClientPackage()
copyFileSync(fileURLToPath(new URL('../../examples/gate/gate.ts', import.meta.url)), join(project, 'gate.ts'))
const gates: ChildProcess[] = []
afterAll(() => {
  for (const gate of gates) gate.kill()
})

/** Starts the example as its reader does, and tells where it listens. */
async function startGate(): Promise<string> {
  const environment = {
    REMIT_URL: service.url,
    CHAIN_ID: String(chain.chainId),
    SUBSCRIPTION_ID: weekly.id,
    PORT: '0',
  }
  const started = spawn(process.execPath, ['--import', 'tsx', 'gate.ts'], {
    cwd: project,
    env: { PATH: process.env.PATH, ...environment },
  })
  gates.push(started)
  return new Promise((resolve, reject) => {
    started.stdout.on('data', (said) => resolve(/http:\/\/\S+/.exec(String(said))?.[0] ?? ''))
    started.on('exit', () => reject(new Error('The gate has ended')))
  })
}

describe.skipIf(!browserIsInstalled)('in a browser', () => {
  const browser = useBrowser()

  it('a member shows by the button that they have paid, and reads the page', async () => {
    const address = await startGate()
    await indexed(service, chain)
    const { page, problems } = await browser.open({})
    await page.goto(address)
    const opening = page.context().waitForEvent('page')
    await page.getByRole('button', { name: 'Join, or show that you have' }).click()
    const popup = await opening
    await giveWallet(popup, { rpcUrl: chain.url, found: 'announced', account: alice })
    await popup.reload()
    await popup.locator('#content').getByRole('button', { name: 'Test wallet' }).click()
    await popup.getByRole('button', { name: /the pass$/ }).click()
    await page.getByText(`Welcome, ${alice}`).waitFor()
    expect(problems).toEqual([])
  }, 60_000)
})

it('lets a member in by a pass for this gate or by one signature, and nobody by another pass', async () => {
  const address = await startGate()
  const enter = async (pass?: string) => {
    const headers: Record<string, string> = pass === undefined ? {} : { Authorization: `Bearer ${pass}` }
    const response = await fetch(address, { headers })
    return [response.status, await response.text()] as const
  }
  if (member === undefined) throw new Error('no member')
  await indexed(service, chain)
  const browser = new Browser(service, chain.chainId, Date.now)
  await browser.signIn(member)
  const passFor = async (audience: string) => {
    const { body } = await browser.ask('POST', '/passes', { subscriptionId: weekly.id, audience })
    return String(body.pass)
  }
  const welcome = expect.stringMatching(new RegExp(`^Welcome, ${alice}: yours through 20`))
  expect((await enter())[0]).toBe(402)
  expect(await enter(await passFor(address))).toEqual([200, welcome])
  expect(await enter(await passFor('https://elsewhere.example'))).toEqual([
    402,
    expect.stringContaining('This pass is for somebody else.'),
  ])
  const signedIn = await wrapFetchWithSIWx(fetch, member)(address)
  expect([signedIn.status, await signedIn.text()]).toEqual([200, welcome])
}, 60_000)
