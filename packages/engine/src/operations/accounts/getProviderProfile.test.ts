import { useSurfaces } from '@remit/testing/parity/surfaces'
import { protocolOn } from '@remit/testing/support/chain/protocolOn'
import { signerOf, useTestChain } from '@remit/testing/support/chain/useTestChain'
import { useDnsServer } from '@remit/testing/support/dns/useDnsServer'
import { indexed } from '@remit/testing/support/service/indexed'
import { useTestService } from '@remit/testing/support/service/testService'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { getProviderProfile } from './getProviderProfile.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { provider, otherProvider, stranger } = chain.wallets
const [dns, secondDns] = [await useDnsServer(), await useDnsServer()]
const service = await useTestService([chain], {
  DNS_RESOLVER: dns.address,
  SECOND_DNS_RESOLVER: secondDns.address,
})

const surfaces = await useSurfaces(service)
const unindexed = await useSurfaces(await useTestService([chain], { [`INDEX_${chain.chainId}`]: 'off' }))

/** A wallet is looked up once a minute at most. */
const NEVER = { checkedAt: null, formattedCheckedAt: null }

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

  it('says whether the domain is the provider’s as soon as that is looked up, here and on its plans', async () => {
    const { id } = await protocol.create({ provider: otherProvider })
    const signature = await signerOf(2).signMessage({ message: `coffee.example belongs to ${otherProvider}` })
    for (const { zone } of [dns, secondDns]) zone.set('ct.coffee.example', { txt: [[signature]] })
    await protocol.send(otherProvider, 'editProvDetails', [{ ...profile, domain: ' Coffee.example' }])
    await indexed(service, chain)
    const known = async () => {
      const [{ body }, plans, details] = await Promise.all([
        service.get(`/providers/${otherProvider}`),
        service.get(`/subscriptions?provider=${otherProvider}`),
        service.get(`/subscriptions/${id}/details`),
      ])
      const [plan] = z.array(z.looseObject({ providerIdentity: z.unknown() })).parse(plans.body.subscriptions)
      expect(plan?.providerIdentity).toEqual(body.identity)
      expect(details.body.providerIdentity).toEqual(body.identity)
      return body.identity
    }
    const lookedUp = {
      checkedAt: expect.any(Number),
      formattedCheckedAt: expect.stringMatching(/^20.+Z$/),
    }
    const verified = { name: 'coffee.example', state: 'verified', reason: 'SIGNED', ...lookedUp }
    // No block comes meanwhile: what was answered before is not kept.
    await expect.poll(known, { timeout: 30_000 }).toEqual({ domain: verified, chainName: null })

    await protocol.send(otherProvider, 'editProvDetails', [{ ...profile, domain: 'coffee.example' }])
    await indexed(service, chain)
    const unread = { name: 'coffee.example', state: 'unverified', reason: 'NOT_LOOKED_UP', ...NEVER }
    expect(await known()).toEqual({ domain: unread, chainName: null })
  }, 60_000)

  it('is null for one who never published any', async () => {
    await indexed(service, chain)
    const { status, body } = await service.get(`/providers/${stranger}`)
    expect([status, body]).toMatchObject([200, { provider: stranger, profile: null }])
  })

  it('quotes as the provider’s own words, for a model, only what the provider wrote', async () => {
    const own = { description: '', company: 'Coffee Ltd', url: '', domain: '', email: '', misc: '' }
    await protocol.send(provider, 'editProvDetails', [own])
    await indexed(service, chain)
    const { text, body } = await surfaces.words(getProviderProfile, { address: provider })
    const { formattedUpdatedAt } = z
      .object({ profile: z.looseObject({ formattedUpdatedAt: z.string() }) })
      .parse(body).profile
    expect(text.split('\n')[0]).toBe(
      `${provider} says of itself since ${formattedUpdatedAt} (unverified): company "Coffee Ltd".`,
    )
  })

  it('does not say of a provider, where there is no index, that it has published nothing', async () => {
    await protocol.send(provider, 'editProvDetails', [profile])
    const { text, body } = await unindexed.words(getProviderProfile, { address: provider })
    expect(body).toMatchObject({ profile: null, error: expect.any(String) })
    expect(text).toContain(`No profile of ${provider} is known.\nIncomplete: `)
  })
})
