import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { randomOf } from '../../differential/random.ts'
import { beginBusyLife } from '../../support/chain/busyLife.ts'
import { mineAgain, reorganise } from '../../support/chain/reorganise.ts'
import { revertTo } from '../../support/chain/revertTo.ts'
import { useTestChain } from '../../support/chain/useTestChain.ts'
import { fillFromLogs } from '../../support/history/fillFromLogs.ts'
import { useFaultyNode } from '../../support/nodes/faultyNode.ts'

const chain = await useTestChain({ goesOn: true })
const { client } = chain
const node = await useFaultyNode(chain.url)
const life = await beginBusyLife(chain, randomOf(11))
for (let block = 0; block < 50; block += 1) {
  await life.mine(4)
  if (block % 15 === 0) await life.nextDay()
}

/** A node that names no final block: then the chain's finality depth counts. */
const untagged = {
  refuse: ({ method, params }: { method: string; params: readonly unknown[] }) =>
    method === 'eth_getBlockByNumber' && params[0] === 'finalized'
      ? { error: { code: -32602, message: 'invalid block tag' } }
      : undefined,
}

async function rowsFromScratch() {
  const filling = await fillFromLogs(chain, [chain.url])
  await filling.fill()
  return filling.rows()
}

describe('a reorganisation', () => {
  it.each([1, 5, 20, 30])(
    'of %i blocks is one step, without an alarm above the final block',
    async (depth) => {
      node.fail(untagged)
      const filling = await fillFromLogs(chain, [node.url], { finalityDepth: 30 })
      await filling.fill()
      const before = filling.steps.length
      await reorganise(client, depth, [])
      // A head that was seen in the middle of it would rightly be a step of its own.
      await filling.seeHead()
      expect(await filling.fill()).toEqual([])
      expect(filling.steps.length).toBe(before + 1)
      expect(filling.alarms).toEqual([])
      expect(await filling.rows()).toEqual(await rowsFromScratch())
    },
  )

  it('brings back the transactions that are in the new branch as well', async () => {
    node.fail(untagged)
    const filling = await fillFromLogs(chain, [node.url], { finalityDepth: 30 })
    await filling.fill()
    const lost = await filling.rows()
    await reorganise(client, 10, await mineAgain(client, 10))
    await filling.fill()
    const rows = await filling.rows()
    expect(rows.events.length).toBeGreaterThan(lost.events.length - 10)
    expect(rows).not.toEqual(lost)
    expect(rows).toEqual(await rowsFromScratch())
  })

  it('to a longer branch, and a second one before the first was seen, end at the chain’s head', async () => {
    const filling = await fillFromLogs(chain, [node.url])
    await filling.fill()
    await reorganise(client, 2, [])
    await life.mine(3)
    await reorganise(client, 3, await mineAgain(client, 3))
    await life.mine(3)
    await filling.fill()
    expect(await filling.rows()).toEqual(await rowsFromScratch())
  })

  it('to a branch that is longer than a step deletes the lost rows first', async () => {
    const id = await client.snapshot()
    for (let block = 0; block < 3; block += 1) await life.mine(3)
    const filling = await fillFromLogs(chain, [node.url])
    await filling.fill()
    await revertTo(client, id)
    await client.mine({ blocks: 200 })
    await life.mine(3)
    // A head that was seen on the way would be near enough for one step.
    await filling.seeHead()
    const before = filling.steps.length
    await filling.fill()
    const [rollback] = filling.steps.slice(before)
    expect(rollback?.to).toEqual(rollback?.ancestor)
    expect(rollback?.events).toEqual([])
    expect(await filling.rows()).toEqual(await rowsFromScratch())
  }, 20_000)
})

describe('a chain that was rolled back', () => {
  it('and stays shorter is followed down once the nodes have shown that head for long enough', async () => {
    const id = await client.snapshot()
    const shorter = await rowsFromScratch()
    for (let block = 0; block < 6; block += 1) await life.mine(3)
    const filling = await fillFromLogs(chain, [node.url])
    await filling.fill()
    await revertTo(client, id)
    await filling.fill()
    expect(await filling.rows()).toEqual(shorter)
  })

  it('and grew again, to less than before, is followed as well', async () => {
    const id = await client.snapshot()
    for (let block = 0; block < 6; block += 1) await life.mine(3)
    const filling = await fillFromLogs(chain, [node.url])
    await filling.fill()
    await revertTo(client, id)
    await life.mine(3)
    await filling.fill()
    expect(await filling.rows()).toEqual(await rowsFromScratch())
  })

  it('is told from a node that lags: an old head changes nothing', async () => {
    const filling = await fillFromLogs(chain, [node.url])
    await filling.fill()
    const rows = await filling.rows()
    const { block } = await filling.tip()
    const old = await client.getBlock({ blockNumber: BigInt(block.number - 5) })
    // It names a block of before, and has got none that is later.
    node.fail({
      alter: ({ method, params }, result) => {
        if (method !== 'eth_getBlockByNumber') return result
        const asked = params[0] === 'latest' ? 0 : Number(params[0])
        return params[0] === 'latest' ? asHeader(old) : asked > Number(old.number) ? null : result
      },
    })
    // Less long than nodes must insist on it.
    for (let look = 0; look < 4; look += 1) {
      expect((await filling.step()).kind).toBe('idle')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    node.fail(undefined)
    await life.mine(3)
    await filling.fill()
    expect(filling.steps.every(({ ancestor, to }) => to.number > ancestor.number)).toBe(true)
    expect((await filling.rows()).events.length).toBeGreaterThan(rows.events.length - 1)
    expect(await filling.rows()).toEqual(await rowsFromScratch())
  })

  it('to before the first block of the index is treated as another chain', async () => {
    const filling = await fillFromLogs(chain, [node.url])
    await filling.fill()
    node.fail({
      alter: ({ method }, result) => {
        return method === 'eth_getBlockByNumber' &&
          typeof result === 'object' &&
          result !== null &&
          'hash' in result
          ? { ...result, hash: flipped(String(result.hash)), parentHash: flipped(String(result.hash)) }
          : result
      },
    })
    // Once the head is seen to be another one.
    const refusal = () => filling.step().then(() => 'none', String)
    await expect.poll(refusal).toMatch(/another chain/)
  })
})

function flipped(hash: string): Hex {
  return `0x${hash.slice(2).split('').reverse().join('')}`
}

function asHeader(block: { number: bigint; hash: Hex; parentHash: Hex; timestamp: bigint; logsBloom: Hex }) {
  const { hash, parentHash, logsBloom } = block
  const hex = (value: bigint) => `0x${value.toString(16)}`
  return { hash, parentHash, logsBloom, number: hex(block.number), timestamp: hex(block.timestamp) }
}
