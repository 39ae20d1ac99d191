import { mnemonicToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'
import * as z from 'zod'
import { json } from '../support/app/smallApp.ts'
import { exampleWall } from './exampleChain.ts'
import type { ExampleService, Exchange } from './exampleService.ts'

type Ask = ExampleService['fetch']

const Nonce = z.object({ nonce: z.string() })
const MNEMONIC = 'test test test test test test test test test test test junk'
const wallets = Array.from({ length: 20 }, (_, addressIndex) => mnemonicToAccount(MNEMONIC, { addressIndex }))

/** What a wallet of the example chain sends to sign in. @param address by default the first one's */
export async function signInOf(
  ask: Ask,
  site: { readonly origin: string; readonly chainId: number },
  address = wallets[0]?.address,
): Promise<{ message: string; signature: string }> {
  const wallet = wallets.find((one) => one.address === address)
  if (wallet === undefined) throw new Error(`${address} is no wallet of the example chain`)
  const { body } = await ask('/portal/nonce', json({}, { Origin: site.origin }))
  const message = createSiweMessage({
    address: wallet.address,
    chainId: site.chainId,
    domain: new URL(site.origin).host,
    issuedAt: new Date(exampleWall()),
    nonce: Nonce.parse(body).nonce,
    uri: `${site.origin}/portal`,
    version: '1',
  })
  return { message, signature: await wallet.signMessage({ message }) }
}

/** What a page shows of a new session. */
export async function sessionOf(
  ask: Ask,
  site: { readonly origin: string; readonly chainId: number },
  address?: (typeof wallets)[number]['address'],
): Promise<Record<string, string>> {
  const signIn = await signInOf(ask, site, address)
  const { headers, body } = await ask('/portal/session', json(signIn, { Origin: site.origin }))
  return {
    Origin: site.origin,
    Cookie: headers.get('set-cookie')?.split(';')[0] ?? '',
    'X-Session-Secret': z.object({ secret: z.string() }).parse(body).secret,
  }
}

/** The first answer to a wallet that is not entitled, whichever wallet and subscription that is. */
export async function findNotEntitled(
  { fetch: ask, site }: ExampleService,
  subscriptionIds: readonly string[],
): Promise<Exchange | undefined> {
  for (const { address } of wallets.slice(0, 12)) {
    const headers = await sessionOf(ask, site, address)
    for (const subscriptionId of subscriptionIds) {
      const body = { subscriptionId, audience: 'https://shop.example' }
      const answered = await ask('/passes', json(body, headers))
      if (answered.body.code === 'NOT_ENTITLED')
        return { request: { path: {}, query: {}, body }, ...answered }
    }
  }
  return undefined
}

/** The answer to a wallet whose contract would have to be asked. */
export async function signInAsContract({ fetch: ask, site }: ExampleService): Promise<Exchange> {
  const { message } = await signInOf(ask, site)
  const body = { message, signature: `0x${'12'.repeat(65)}` }
  const answered = await ask('/portal/session', json(body, { Origin: site.origin }))
  return { request: { path: {}, query: {}, body }, ...answered }
}
