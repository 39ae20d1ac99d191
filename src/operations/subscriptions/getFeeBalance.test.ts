import { describe, expect, it } from 'vitest'
import { protocolOn } from '../../../test/support/chain/protocolOn.ts'
import { useTestChain } from '../../../test/support/chain/useTestChain.ts'
import { lasting, useTestService } from '../../../test/support/service/testService.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, stranger } = chain.wallets
const weekly = await protocol.create()
await protocol.join(weekly, alice)
await chain.keep()
const service = await useTestService([chain])
const names = { [weekly.id]: '<weekly>' }
const UNKNOWN = `0x${'12'.repeat(32)}`

describe('GET /subscriptions/:id/fee-balance', () => {
  it('tells what is held for one subscriber', async () => {
    const { body } = await service.get(`/subscriptions/${weekly.id}/fee-balance?address=${alice}`)
    expect(lasting(body, names)).toMatchInlineSnapshot(`
      {
        "chainId": 31337,
        "feeBalance": {
          "amount": "2.857142",
          "amountRaw": "2857142",
          "tokenDecimals": 6,
        },
        "feeBalanceRaw": "2857142",
        "subscriber": "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
        "subscriptionId": "<weekly>",
        "tokenDecimals": 6,
      }
    `)
  })

  it('is "0" for an address that never subscribed', async () => {
    const { status, body } = await service.get(`/subscriptions/${weekly.id}/fee-balance?address=${stranger}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ feeBalance: { amount: '0', amountRaw: '0' }, feeBalanceRaw: '0' })
  })

  it('asks for the address by name', async () => {
    const { status, body } = await service.get(`/subscriptions/${weekly.id}/fee-balance`)
    expect(status).toBe(400)
    expect(body).toMatchObject({ issues: [{ path: 'address', message: 'is required' }] })
  })

  it('is 404 for an id that the chain does not know', async () => {
    expect((await service.get(`/subscriptions/${UNKNOWN}/fee-balance?address=${alice}`)).status).toBe(404)
  })
})
