import { type Hash, numberToHex } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { protocolOn } from './support/chain/protocolOn.ts'
import { useTestChain } from './support/chain/useTestChain.ts'
import { type NodeCall, useFaultyNode } from './support/nodes/faultyNode.ts'
import { useTestService } from './support/service/testService.ts'

const chain = await useTestChain({ goesOn: true })
const protocol = protocolOn(chain)
const { client, wallets } = chain
const node = await useFaultyNode(chain.url)
const service = await useTestService([{ ...chain, url: node.url }])

const State = z.object({ asOf: z.object({ blockNumber: z.number() }) })
const Header = z.looseObject({ number: z.string(), hash: z.string() })

beforeEach(() => service.caughtUp())

async function header(blockNumber: bigint): Promise<z.output<typeof Header>> {
  const response = await fetch(chain.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getBlockByNumber',
      params: [numberToHex(blockNumber), false],
    }),
  })
  return z.object({ result: Header }).parse(await response.json()).result
}

const asksForHead = ({ method, params }: NodeCall) =>
  method === 'eth_getBlockByNumber' && params[0] === 'latest'

/** The node names its head of now as the latest block from here on. */
async function standStill(): Promise<void> {
  const result = await header((await client.getBlock()).number)
  node.fail({ refuse: (call) => (asksForHead(call) ? { result } : undefined) })
}

describe('the status of a transaction that the node has mined', () => {
  const mine = async (): Promise<Hash> => {
    const hash = await client.sendTransaction({ account: wallets.alice, chain: null, to: wallets.bob })
    await client.waitForTransactionReceipt({ hash })
    return hash
  }

  it('is never pending: where the head is behind it is waited for', async () => {
    await standStill()
    const hash = await mine()
    setTimeout(() => node.fail({}), 700)
    const { status, body } = await service.post('/transactions/status', { txHash: hash })
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'success', confirmations: 1 } })
    expect(State.parse(body).asOf.blockNumber).toBe(body.blockNumber)
  })

  it('is not told for now where the head takes longer', async () => {
    await standStill()
    const hash = await mine()
    const begun = performance.now()
    const { status, body } = await service.post('/transactions/status', { txHash: hash })
    expect({ status, code: body.code }).toEqual({ status: 503, code: 'BLOCK_NOT_SEEN' })
    expect(performance.now() - begun).toBeLessThan(10_000)
  })
})

it('a prepare waits for the block that its query names', async () => {
  await standStill()
  const plan = await protocol.create()
  const { number } = await client.getBlock()
  setTimeout(() => node.fail({}), 500)
  const input = { from: wallets.provider, id: plan.id }
  const path = `/prepare/cancel_subscription_by_id?minBlock=${number}`
  expect((await service.post(path, input)).status).toBe(200)
})
