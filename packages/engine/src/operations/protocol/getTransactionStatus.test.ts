import { ISubscriptions } from '@remit/contracts/ISubscriptions'
import { protocolOn, tupleOf } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { lasting, useTestService } from '@remit/testing/support/service/testService'
import { encodeFunctionData, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, provider, stranger } = chain.wallets
const weekly = await protocol.create()
await chain.keep()
const service = await useTestService([chain])
const UNKNOWN: Hex = `0x${'34'.repeat(32)}`

async function statusOf(txHash: Hex, sent: Record<string, unknown> = {}) {
  await service.caughtUp()
  const { status, body } = await service.post('/transactions/status', { txHash, ...sent })
  expect(status).toBe(200)
  return body
}

/** A call of the contract that is sent whatever becomes of it. */
async function sendCancel(from: typeof provider): Promise<Hex> {
  const data = encodeFunctionData({
    abi: ISubscriptions.abi,
    functionName: 'cancelSubscription',
    args: [tupleOf(weekly.id)],
  })
  const hash = await chain.client.sendTransaction({
    account: from,
    chain: null,
    to: chain.contract,
    data,
    gas: 500_000n,
  })
  await chain.client.waitForTransactionReceipt({ hash })
  return hash
}

describe('a mined transaction', () => {
  it('tells its block, its gas and its decoded events', async () => {
    const hash = await sendCancel(provider)
    const body = await statusOf(hash)
    const {
      transactionHash: _,
      events,
      blockNumber,
      gasUsed,
      ...rest
    } = lasting(body, {
      [weekly.id]: '<weekly>',
    })
    expect(blockNumber).toBe(Number(await chain.client.getBlockNumber()))
    // It depends on the zeros in the subscription's id, and so on the second in which that was created.
    expect(gasUsed).toBe(String((await chain.client.getTransactionReceipt({ hash })).gasUsed))
    expect(events).toMatchObject([
      { event: 'SubLog', eventName: 'Cancelled', amount: '0', args: { id: '<weekly>', provider } },
    ])
    expect(rest).toMatchInlineSnapshot(`
      {
        "chainId": 31337,
        "confirmations": 1,
        "confirmed": true,
        "createdSubscriptionId": null,
        "finalized": false,
        "reason": null,
        "reasonSource": null,
        "status": "success",
      }
    `)
  })

  it('gains confirmations with the head', async () => {
    const hash = await sendCancel(provider)
    await chain.client.mine({ blocks: 4 })
    expect(await statusOf(hash)).toMatchObject({ confirmations: 5, finalized: true })
  })
})

it('a transaction in no block is replaced where its sender has used the nonce for another', async () => {
  const nonce = await chain.client.getTransactionCount({ address: alice })
  const hash = await chain.client.sendTransaction({ account: alice, chain: null, to: stranger, value: 1n })
  await chain.client.waitForTransactionReceipt({ hash })
  expect(await statusOf(UNKNOWN, { from: alice, nonce })).toMatchObject({ status: 'replaced' })
  expect(await statusOf(UNKNOWN, { from: alice, nonce: nonce + 1 })).toMatchObject({ status: 'unknown' })
})

it.each([
  ['nonce', { txHash: UNKNOWN, from: alice }],
  ['nonce', { txHash: UNKNOWN, nonce: 1 }],
])('refuses input that does not fit, naming %s', async (path, body) => {
  const answer = await service.post('/transactions/status', body)
  expect(answer.status).toBe(400)
  expect(answer.body).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path }] })
})
