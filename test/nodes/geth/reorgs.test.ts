import { expect, it } from 'vitest'
import { randomOf } from '../../differential/random.ts'
import { beginBusyLife } from '../../support/chain/busyLife.ts'
import { mineAgain, reorganise } from '../../support/chain/reorganise.ts'
import { describeGeth } from '../../support/geth/describeGeth.ts'
import { fillFromLogs } from '../../support/history/fillFromLogs.ts'
import { startTestService } from '../../support/service/testService.ts'

/** A transaction of a busy life asks for all the gas that it may have, and three of them fill a block. */
const MOST_IN_A_BLOCK = 3

describeGeth(
  'over geth',
  async (chain, geth) => {
    const { client } = chain
    const life = await beginBusyLife(chain, randomOf(5))
    for (let block = 0; block < 20; block += 1) {
      await life.mine(MOST_IN_A_BLOCK)
      if (block % 7 === 0) await life.nextDay()
    }
    const rowsFromScratch = async () => {
      const filling = await fillFromLogs(chain, [chain.url])
      await filling.fill()
      return filling.rows()
    }

    it.each([1, 8])(
      'a reorganisation of %i blocks leaves the index as if the branch had always been',
      async (depth) => {
        const filling = await fillFromLogs(chain, [chain.url], { finalityDepth: 10 })
        await filling.fill()
        const lost = await filling.rows()
        await reorganise(client, depth, await mineAgain(client, depth))
        await filling.fill()
        const rows = await filling.rows()
        expect(rows).toEqual(await rowsFromScratch())
        expect(depth === 1 || rows !== lost).toBe(true)
        expect(filling.alarms).toEqual([])
      },
    )

    it('the index’s final block is a depth until geth names one, and then geth’s', async () => {
      const filling = await fillFromLogs(chain, [chain.url], { finalityDepth: 6 })
      await filling.fill()
      const head = Number(await client.getBlockNumber())
      expect((await filling.tip()).finalizedBlock).toBe(head - 6)
      await geth.finalize(BigInt(head - 2))
      await life.mine(1)
      await filling.fill()
      expect((await filling.tip()).finalizedBlock).toBe(head - 2)
    })

    it('an answer at a block that was replaced is given at the block that replaced it', async () => {
      const service = await startTestService([chain])
      try {
        await service.caughtUp()
        await reorganise(client, 1, [])
        await service.caughtUp()
        const { hash } = await client.getBlock()
        const { status, body } = await service.get('/protocol/state')
        expect([status, body.asOf]).toMatchObject([200, { blockHash: hash }])
      } finally {
        await service.close()
      }
    })
  },
  { goesOn: true },
)
