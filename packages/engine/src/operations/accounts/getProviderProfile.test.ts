import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { useTestChain } from '@remit/testing/support/chain/useTestChain'
import { indexed } from '@remit/testing/support/service/indexed'
import { useTestService } from '@remit/testing/support/service/testService'
import { describe, expect, it } from 'vitest'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { provider, stranger } = chain.wallets
const service = await useTestService([chain])

describe('GET /providers/:address', () => {
  const profile = {
    description: 'Coffee‮\nby the bag',
    company: 'Coffee Ltd',
    url: 'https://coffee.example',
    domain: 'coffee.example',
    email: 'hello@coffee.example',
    misc: '',
  }

  it('is the latest that the provider published, without characters that could mislead', async () => {
    await protocol.send(provider, 'editProvDetails', [{ ...profile, company: 'Tea Ltd' }])
    await protocol.send(provider, 'editProvDetails', [profile])
    const { timestamp } = await chain.client.getBlock()
    await indexed(service, chain)
    const { status, body } = await service.get(`/providers/${provider}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      provider,
      profile: {
        ...profile,
        description: 'Coffee by the bag',
        updatedAt: Number(timestamp),
        formattedUpdatedAt: new Date(Number(timestamp) * 1000).toISOString().replace('.000Z', 'Z'),
      },
    })
  })

  it('is null for one who never published any', async () => {
    await indexed(service, chain)
    const { status, body } = await service.get(`/providers/${stranger}`)
    expect([status, body]).toMatchObject([200, { provider: stranger, profile: null }])
  })
})
