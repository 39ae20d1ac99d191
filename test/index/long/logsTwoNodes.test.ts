import { Subscriptions } from '@remit/contracts/Subscriptions'
import { callOf, mineBlock } from '@remit/devchain/testing/chain/block'
import { describe, expect, it } from 'vitest'
import { randomOf } from '../../differential/random.ts'
import { beginBusyLife } from '../../support/chain/busyLife.ts'
import { useTestChain } from '../../support/chain/useTestChain.ts'
import { fillFromLogs } from '../../support/history/fillFromLogs.ts'
import { type NodeCall, type NodeFault, useFaultyNode } from '../../support/nodes/faultyNode.ts'
import { lyingLogs, type RawLog } from '../../support/nodes/nodeFaults.ts'

const chain = await useTestChain()
const first = await useFaultyNode(chain.url)
const second = await useFaultyNode(chain.url)
const urls = [first.url, second.url]
const life = await beginBusyLife(chain, randomOf(3))
for (let block = 0; block < 50; block += 1) {
  await life.mine(4)
  if (block % 15 === 0) await life.nextDay()
}
await chain.keep()

async function rowsFromScratch() {
  const filling = await fillFromLogs(chain, [chain.url])
  await filling.fill()
  return filling.rows()
}

const without = (left: (log: RawLog, index: number) => boolean) =>
  lyingLogs((logs) => logs.filter((log, index) => !left(log, index)))

const noReceipts = ({ method }: NodeCall, result: unknown) =>
  method === 'eth_getBlockReceipts' ? [] : result

describe('of two nodes', () => {
  it.each([
    ['first', first],
    ['second', second],
  ])('the %s one that hides logs of final blocks is found by the receipts', async (_, liar) => {
    liar.fail(without((_log, index) => index === 20))
    const filling = await fillFromLogs(chain, urls)
    expect(await filling.fill()).toEqual([])
    expect(filling.told.join()).toMatch(
      /RPC \d of chain 31337 is asked last for a while: Its logs are not those/,
    )
    expect(await filling.rows()).toEqual(await rowsFromScratch())
  })

  it.each<[string, NodeFault | undefined, NodeFault?]>([
    [
      'both hide logs, of different blocks or different ones of the same block',
      without((_log, index) => index === 20 || index === 60),
      without((_log, index) => index === 21 || index === 90),
    ],
    ['one hides logs everywhere', undefined, without((_log, index) => index % 3 === 0)],
    [
      'one hides logs from its receipts too, which the block’s bloom shows',
      {
        alter: (call, result) =>
          noReceipts(call, without((_log, index) => index === 20).alter?.(call, result)),
      },
    ],
    ['one invents logs', lyingLogs((logs) => logs.map((log) => ({ ...log, data: madeUp(log.data) })))],
  ])('%s: the rows are the chain’s all the same', async (_, ofFirst, ofSecond) => {
    first.fail(ofFirst)
    second.fail(ofSecond)
    const filling = await fillFromLogs(chain, urls)
    await filling.fill()
    expect(await filling.rows()).toEqual(await rowsFromScratch())
  })

  it('neither is used if they name different final blocks', async () => {
    const otherHash = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value).replace(/"(hash|blockHash)":"0x..../g, '"$1":"0x1234'))
    second.fail({
      alter: ({ method, params }, result) =>
        method === 'eth_getLogs' || (method === 'eth_getBlockByNumber' && Number(params[0]) > 0)
          ? otherHash(result)
          : result,
    })
    const filling = await fillFromLogs(chain, urls)
    await expect(filling.step()).rejects.toThrow(/RPC 1 and RPC 2 of chain 31337 follow different chains/)
    expect(filling.steps).toEqual([])
  })

  it('neither is used if receipts do not decide, until one answers correctly again', async () => {
    const hiding = without((_log, index) => index === 20)
    first.fail({ alter: (call, result) => noReceipts(call, hiding.alter?.(call, result)) })
    second.fail({ alter: noReceipts })
    const filling = await fillFromLogs(chain, urls)
    await expect(filling.step()).rejects.toThrow(/give different logs of block \d+, and its receipts do not/)
    expect(filling.steps).toEqual([])
    second.fail(undefined)
    await filling.fill()
    expect(await filling.rows()).toEqual(await rowsFromScratch())
  })

  const lagging = {
    alter: ({ method, params }: NodeCall, result: unknown) =>
      method === 'eth_getBlockByNumber' && Number(params[0]) > 5 ? null : result,
  }

  it.each([
    ['lags', lagging],
    ['fails', { status: 503 }],
  ])('one that %s is waited for a while before final blocks are read without it', async (_, fault) => {
    second.fail(fault)
    const filling = await fillFromLogs(chain, urls, { secondNodeWaitMs: 300 })
    const failures = await filling.fill()
    expect(failures.length).toBeGreaterThan(0)
    expect(failures.map(({ name }) => name)).toEqual(failures.map(() => 'UpstreamError'))
    expect(filling.told.filter((line) => line.includes('read from one node alone')).length).toBe(1)
    expect(filling.told.length).toBeLessThanOrEqual(2)
    expect(await filling.rows()).toEqual(await rowsFromScratch())
  })

  it('one that recovers from a short outage is compared again, and nothing was written meanwhile', async () => {
    first.fail({ status: 503 })
    second.fail(without((_log, index) => index === 20))
    const filling = await fillFromLogs(chain, urls)
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(filling.step()).rejects.toThrow(/could not be read/)
    }
    first.fail(undefined)
    await filling.fill()
    expect(await filling.rows()).toEqual(await rowsFromScratch())
  })

  it('one that refuses ranges which the other answers is left out at once', async () => {
    second.fail({ refuse: ({ method }) => (method === 'eth_getLogs' ? tooLarge : undefined) })
    const filling = await fillFromLogs(chain, urls)
    expect(await filling.fill()).toEqual([])
    expect(filling.told.length).toBe(1)
    expect(await filling.rows()).toEqual(await rowsFromScratch())
  })

  it('the second continues when the first has failed, and that is logged once', async () => {
    const filling = await fillFromLogs(chain, urls)
    await filling.fill()
    first.fail({ status: 503 })
    for (let block = 0; block < 5; block += 1) {
      await life.mine(3)
      await filling.fill()
    }
    expect(filling.told.length).toBe(1)
    expect(await filling.rows()).toEqual(await rowsFromScratch())
  })

  it('the second continues if the first gives no logs at all, in ranges of its own size', async () => {
    first.fail({ refuse: ({ method }) => (method === 'eth_getLogs' ? noLogs : undefined) })
    const filling = await fillFromLogs(chain, urls)
    expect(await filling.fill()).toEqual([])
    expect(filling.steps.length).toBe(2)
    expect(await filling.rows()).toEqual(await rowsFromScratch())
  })

  it('one that hides logs at the head is replaced by the other at once', async () => {
    const filling = await fillFromLogs(chain, urls)
    await filling.fill()
    first.fail(lyingLogs(() => []))
    for (let block = 0; block < 3; block += 1) await life.nextDay()
    expect(await filling.fill()).toEqual([])
    expect(await filling.rows()).toEqual(await rowsFromScratch())
  })

  it('one that hides logs of a block whose bloom is too full is found by comparing with the other', async () => {
    const filling = await fillFromLogs(chain, urls)
    await filling.fill()
    first.fail(lyingLogs(() => []))
    await mineFullBlock()
    expect(await filling.fill()).toEqual([])
    const rows = await filling.rows()
    expect(rows.profileLogs.at(-1)).toMatchObject({ company: 'Hidden' })
    expect(rows).toEqual(await rowsFromScratch())
  })
})

const noLogs = { error: { code: -32601, message: 'the method eth_getLogs is not available' } }
const tooLarge = { error: { code: -32000, message: 'block range is too wide' } }

/** Another amount, or another text. */
function madeUp(data: string): string {
  const at = Math.min(120, data.length - 1)
  return `${data.slice(0, at)}${data[at] === '1' ? '2' : '1'}${data.slice(at + 1)}`
}

/** A block with one log of ours among 1,200 with a topic each of its own. */
async function mineFullBlock(): Promise<void> {
  const { client, contract, wallets } = chain
  const profile = { description: '', company: 'Hidden', url: '', domain: '', email: '', misc: '' }
  const target = { address: contract, abi: Subscriptions.abi }
  await mineBlock(client, [
    callOf(wallets.provider, target, 'editProvDetails', [profile]),
    // PUSH2 1200, and then LOG1 with the counter as its topic until that is 0.
    {
      from: wallets.alice,
      data: '0x6104b05b8060006000a1600190038060035700',
      gas: 3_000_000n,
      label: 'noise',
    },
  ])
}
