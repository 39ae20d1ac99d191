import { parsePaymentRequired } from '@x402/core/schemas'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { createSIWxClientHook, wrapFetchWithSIWx } from '@x402/extensions/sign-in-with-x'
import { wrapFetchWithPayment, x402Client, x402HTTPClient } from '@x402/fetch'
import { expect, it } from 'vitest'
import { signerOf } from '../support/wallets/signerOf.ts'
import { challenge, GATE, gateOver, inventedClient, PLAN, signedHeader, told } from './gateGround.ts'

const [member, lapsed, stranger] = [signerOf(1), signerOf(2), signerOf(3)]
const members = {
  [member.address]: { entitled: true, through: '2026-04-04' },
  [lapsed.address]: { entitled: false, through: '2026-03-04' },
}
const service = 'https://remit.example'
const open = () => gateOver(inventedClient(members).client, { service })

/** x402's own fetch, which signs in and would pay by a transfer from this wallet. */
function paying(send: typeof fetch, signer: ReturnType<typeof signerOf>) {
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(signer))
  return wrapFetchWithPayment(
    send,
    new x402HTTPClient(client).onPaymentRequired(createSIWxClientHook(signer)),
  )
}

it.each([
  ['that signs in', wrapFetchWithSIWx],
  ['that signs in and pays', paying],
])('a client of x402 %s enters as a member by one signature, and pays nothing', async (_, wrap) => {
  const { send, sent } = open()
  const answer = await wrap(send, member)(`${GATE}/report?page=2`)
  expect(await told(answer)).toEqual({ status: 200, text: `Welcome, ${member.address}` })
  expect(answer.headers.get('Cache-Control')).toBe('private')
  expect(
    sent.map(({ headers }) => [headers.has('SIGN-IN-WITH-X'), headers.has('PAYMENT-SIGNATURE')]),
  ).toEqual([
    [false, false],
    [true, false],
  ])
})

it('who lapsed and who never subscribed get 402 by a client of x402, which makes no payment', async () => {
  const { send, sent } = open()
  expect(await told(await wrapFetchWithSIWx(send, lapsed)(GATE))).toEqual({
    status: 402,
    code: 'LAPSED',
    error: `The membership of ${lapsed.address} has ended; it was paid through 2026-03-04: subscribe again.`,
  })
  expect(await told(await wrapFetchWithSIWx(send, stranger)(GATE))).toMatchObject({
    status: 402,
    code: 'NOT_A_MEMBER',
  })
  // It finds nothing that it could pay, and says so with what is asked.
  await expect(paying(send, stranger)(GATE)).rejects.toThrow(/remit-subscription/)
  expect(sent.some(({ headers }) => headers.has('PAYMENT-SIGNATURE'))).toBe(false)
})

it('the answer 402 is one of x402, and says which plan, at which price, and how to subscribe', async () => {
  const { send } = open()
  const answer = await send(`${GATE}/report?page=2`)
  const text = await answer.text()
  expect(parsePaymentRequired(JSON.parse(text)).success).toBe(true)
  const header = Buffer.from(answer.headers.get('PAYMENT-REQUIRED') ?? '', 'base64').toString()
  expect(header).toBe(text)
  expect(answer.headers.get('Cache-Control')).toBe('no-store')
  expect(JSON.parse(text)).toMatchObject({
    x402Version: 2,
    code: 'NOTHING_SHOWN',
    resource: { url: `${GATE}/report?page=2` },
    accepts: [
      {
        scheme: 'remit-subscription',
        network: 'eip155:8453',
        amount: '10000000',
        asset: `0x${'22'.repeat(20)}`,
        payTo: `0x${'11'.repeat(20)}`,
        maxTimeoutSeconds: 300,
        extra: {
          subscriptionId: PLAN,
          chainId: 8453,
          amount: '10',
          symbol: 'USD₮0',
          period: 'MONTHLY',
          dueDay: 5,
          cancelled: false,
          subscribe: `${service}/subscribe/${PLAN}?chainId=8453`,
          prepare: {
            operation: 'prepare_subscribe_by_id',
            method: 'POST',
            url: `${service}/prepare/subscribe_by_id?chainId=8453`,
            input: { id: PLAN },
          },
        },
      },
    ],
  })
})

it('somebody who has signed is told what to prepare from their wallet, without a service too', async () => {
  const gate = gateOver(inventedClient(members).client)
  const answer = await gate.send(GATE, { headers: await signedHeader(gate, stranger) })
  const { extra } = (await answer.json()).accepts[0]
  expect(extra).toMatchObject({ prepare: { input: { id: PLAN, from: stranger.address } } })
  expect(extra).not.toHaveProperty('subscribe')
})

it('nobody is sent to a plan that the provider has cancelled; its members still enter', async () => {
  const gate = gateOver(inventedClient(members, { cancelled: true }).client, { service })
  const [plan] = (await challenge(gate)).accepts
  expect(plan?.extra).toMatchObject({ cancelled: true })
  expect(plan?.extra).not.toHaveProperty('prepare')
  expect((await wrapFetchWithSIWx(gate.send, member)(GATE)).status).toBe(200)
})
