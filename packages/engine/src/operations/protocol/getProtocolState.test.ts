import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { lasting, useTestService } from '@remit/testing/support/service/testService'
import { expect, it } from 'vitest'

const chain = await useTestChain()
const service = await useTestService([chain])

it('states fees in percent and as the contract holds them, and how far remit is behind', async () => {
  const { status, body } = await service.get('/protocol/state')
  expect(status).toBe(200)
  expect(lasting(body)).toMatchInlineSnapshot(`
    {
      "callerFee": "10200",
      "callerFeePercent": 2,
      "cancelLimit": 25,
      "chainId": 31337,
      "contractAddress": "0x5FbDB2315678afecb367f032d93F642f64180aa3",
      "currentDay": {
        "date": "2026-03-02",
        "dayNumber": 20514,
      },
      "daysBehind": 2,
      "maxRemits": 25,
      "nextUncheckedDay": {
        "date": "2026-02-28",
        "dayNumber": 20512,
      },
      "systemFee": "11000",
      "systemFeePercent": 10,
    }
  `)
})

it('counts whole days behind as the chain’s clock goes on', async () => {
  await chain.advanceDays(5)
  await service.caughtUp()
  const { body } = await service.get('/protocol/state')
  expect(body).toMatchObject({ daysBehind: 7, currentDay: { date: '2026-03-07' } })
})

it('names the block that it was read at', async () => {
  await service.caughtUp()
  const block = await chain.client.getBlock()
  const { body } = await service.get('/protocol/state')
  expect(body).toMatchObject({
    chainId: 31337,
    asOf: {
      blockNumber: Number(block.number),
      blockHash: block.hash,
      timestamp: Number(block.timestamp),
    },
  })
})
