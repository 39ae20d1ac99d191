import { createClient } from '@remit/client/testing/createClient'
import { numberToHex } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { useFaultyNode } from '../support/nodes/faultyNode.ts'
import { useTestService } from '../support/service/testService.ts'
import { localWallet, QUICK, SIGNERS } from './sendingGround.ts'

const chain = await useTestChain({ goesOn: true })
const protocol = protocolOn(chain)
const { chainId, contract, wallets } = chain
const { usdc } = chain.tokens
await protocol.fund(usdc, wallets.alice, { balance: 1_000_000_000n })
// The service's node is another one than the wallet's, and hears of blocks later.
const node = await useFaultyNode(chain.url)
const service = await useTestService([{ ...chain, url: node.url }])
const alice = localWallet(chain, SIGNERS.alice)

beforeEach(() => service.caughtUp())

const Block = z.object({ result: z.looseObject({ number: z.string() }) })

/** Keeps the service's node at the present head, for so long. */
async function hold(ms: number): Promise<void> {
  const { number } = await chain.client.getBlock()
  const body = { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: [numberToHex(number), false] }
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(chain.url, { method: 'POST', headers, body: JSON.stringify(body) })
  const { result } = Block.parse(await response.json())
  node.fail({
    refuse: ({ method, params }) =>
      method === 'eth_getBlockByNumber' && params[0] === 'latest' ? { result } : undefined,
  })
  setTimeout(() => node.fail(undefined), ms)
}

const newClient = (options: object = {}) =>
  createClient({ url: service.url, contracts: { [chainId]: contract }, ...options })

describe('after its own transaction a client', () => {
  it.each([
    ['named the chain', { chainId }],
    ['left the chain to the service', {}],
  ])('sees its effect in every answer, if it %s', async (_what, named) => {
    const client = newClient({ ...named, retries: 0 })
    const weekly = await protocol.create()
    await service.caughtUp()
    await hold(1_200)
    const { transactions } = await client.subscribe({ id: weekly.id }).send(alice, QUICK)
    const mined = transactions.at(-1)?.blockNumber ?? Number.NaN
    expect(Number((await chain.client.getBlock()).number)).toBe(mined)

    const from = wallets.alice
    const [account, readiness, prepared, found, listed] = await Promise.all([
      client.getAccount({ address: from }),
      client.subscribe({ id: weekly.id }).readiness(from),
      client.unsubscribe({ id: weekly.id }).prepare(from),
      client.getSubscription({ id: weekly.id, chainId }),
      client.each.getSubscribers({ id: weekly.id }).next(),
    ])
    expect(account.subscribedTo.map(({ subscription }) => subscription.id)).toContain(weekly.id)
    expect(readiness.issues).toMatchObject([{ code: 'ALREADY_SUBSCRIBED' }])
    expect(prepared.unsignedTransactions).toHaveLength(1)
    expect(listed.value).toMatchObject({ subscriber: from })
    for (const { asOf } of [account, readiness, prepared, found]) {
      expect(asOf.blockNumber).toBeGreaterThanOrEqual(mined)
    }
  })
})
