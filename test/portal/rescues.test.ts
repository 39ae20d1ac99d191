import { expect, it } from 'vitest'
import * as z from 'zod'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { signerOf, useTestChain } from '../support/chain/useTestChain.ts'
import { useTestService } from '../support/service/testService.ts'
import { signedPermit } from '../support/wallets/signedPermit.ts'
import { TEST_SECRETS_KEY } from '../support/webhooks/startDelivering.ts'
import { Browser } from './Browser.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, provider } = chain.wallets
await protocol.join(await protocol.create(), alice, { balance: 10n ** 10n, allowance: 10_000_000n })
await chain.keep()
const now = () => 0
// Nobody makes keys here: members and providers sign in for this alone.
const service = await useTestService([chain], {
  SECRETS_KEY: TEST_SECRETS_KEY,
  PORTAL: 'off',
  PASSES: 'off',
})

async function signedIn(index: number): Promise<Browser> {
  const browser = new Browser(service, chain.chainId, now)
  expect((await browser.signIn(signerOf(index))).status).toBe(201)
  return browser
}

const Left = z.object({ rescue: z.object({ id: z.string() }) })

it('a session sees what is its wallet’s, and takes back what its wallet has signed, from this service’s pages alone', async () => {
  const member = await signedIn(3)
  const desk = await signedIn(1)
  const stranger = await signedIn(5)
  const permit = await signedPermit(chain, {
    token: chain.tokens.usdc,
    signer: signerOf(3),
    value: 50_000_000n,
  })
  await service.caughtUp()
  const left = await member.ask('POST', '/rescues', { ...permit, provider })
  const { id } = Left.parse(left.body).rescue
  const path = `/rescues?provider=${provider}`
  const listed = { status: 200, body: { rescues: [{ id, signature: permit.signature }] } }
  expect(await member.ask('GET', path)).toMatchObject(listed)
  expect(await desk.ask('GET', path)).toMatchObject(listed)
  expect(await stranger.ask('GET', path)).toMatchObject({ status: 200, body: { rescues: [] } })

  const at = `/rescues/${id}`
  const foreign = { Origin: 'https://elsewhere.example', 'Sec-Fetch-Site': 'cross-site' }
  const forbidden = { status: 403, body: { code: 'FORBIDDEN' } }
  expect(await member.ask('DELETE', at, undefined, foreign)).toMatchObject(forbidden)
  for (const other of [desk, stranger]) expect((await other.ask('DELETE', at)).status).toBe(404)
  expect(await member.ask('DELETE', at)).toMatchObject({ status: 200, body: { id, deleted: true } })
  expect(await desk.ask('GET', path)).toMatchObject({ status: 200, body: { rescues: [] } })
  // It is no session of a developer.
  expect(await member.ask('POST', '/developer/keys', {})).toMatchObject({
    status: 403,
    body: { code: 'PORTAL_CLOSED' },
  })
})
