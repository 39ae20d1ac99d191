import { YES } from '@remit/testing/portal/contractWallet'
import { nameRegistryOf } from '@remit/testing/support/chain/nameRegistry'
import { silentLog, useReadingGround } from '@remit/testing/support/chain/useReadingGround'
import { signerOf } from '@remit/testing/support/chain/useTestChain'
import { useDnsServer } from '@remit/testing/support/dns/useDnsServer'
import { fillFromLogs } from '@remit/testing/support/history/fillFromLogs'
import { describeStores } from '@remit/testing/support/stores/describeStores'
import { type Address, getAddress } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { createProjection } from '../projection/createProjection.ts'
import { providerStore } from '../projection/providers.ts'
import { ProviderLookups } from './ProviderLookups.ts'
import { createTxtResolver } from './TxtResolver.ts'

const HOUR = 3_600
const DAY = 24 * HOUR
const NAME = 'ct.shop.example'
const REGISTRY: Address = `0x${'e1'.repeat(20)}`
const RESOLVER: Address = `0x${'e2'.repeat(20)}`

const ground = await useReadingGround({ goesOn: true })
const { protocol, wallets, client, chainId } = ground
const [one, other] = [await useDnsServer(), await useDnsServer()]
const { signal } = new AbortController()
/** It only goes on, because tests share what was looked up. */
const clock = { seconds: 1_800_000_000 }
/** The wallets’ keys, by their places in the mnemonic. */
const signers = new Map(Array.from({ length: 12 }, (_, n) => [signerOf(n).address, signerOf(n)]))
const sign = (by: Address, message = 'clocktower') => {
  const signer = signers.get(getAddress(by))
  if (signer === undefined) throw new Error('no key of the test')
  return signer.signMessage({ message })
}
const publish = (by: Address, domain: string, company = 'Coffee') =>
  protocol.send(by, 'editProvDetails', [{ description: '', company, url: '', domain, email: '', misc: '' }])
/** What both resolvers have at the proof’s name. */
const record = (text: string | undefined, ttl = HOUR) => {
  for (const { zone } of [one, other]) {
    if (text === undefined) zone.delete(NAME)
    else zone.set(NAME, { txt: [[text]], ttl })
  }
}
afterEach(() => {
  for (const { zone, asked } of [one, other]) {
    zone.clear()
    asked.length = 0
  }
})

describeStores('who providers are', ({ open }) => {
  /** An index at the chain’s head, and look-ups that the test makes, at a time of its own. */
  async function begin(options: { perHour?: number; isOn?: boolean } = {}) {
    const store = await open()
    const filling = await fillFromLogs(ground, [ground.url], { store })
    await filling.fill()
    clock.seconds += 30 * DAY
    const now = () => clock.seconds * 1_000
    const reader = createProjection(store, now)
    const make = (perHour = options.perHour ?? 1_000) =>
      new ProviderLookups({
        chainId,
        chains: ground.open({ pollMs: 50, rollbackAfterMs: 0, nameRegistry: REGISTRY }),
        reader,
        store: providerStore(store),
        isSynced: () => true,
        resolvers:
          options.isOn === false
            ? undefined
            : { first: createTxtResolver(one.address, 500), second: createTxtResolver(other.url, 500) },
        perHour,
        log: silentLog,
        now,
      })
    // All that earlier tests left due.
    await store.transaction((db) => db.updateTable('provider_checks').set({ due_at: 9e12 }).execute())
    const looks = make()
    return {
      store,
      looks,
      make,
      fill: () => filling.fill(),
      async look(by = looks) {
        return by.lookUp(await filling.lease(), signal)
      },
      async known(provider: Address) {
        const found = await reader.snapshot(chainId, (queries) => queries.providerChecks([provider]))
        const check = found?.rows.get(getAddress(provider))
        return check?.domain && [check.domain.outcome, check.domain.checkedAt]
      },
      async named(provider: Address) {
        const found = await reader.snapshot(chainId, (queries) => queries.providerChecks([provider]))
        return found?.rows.get(getAddress(provider))?.chainName
      },
      async checked() {
        return (await reader.indexState(chainId))?.providersChecked
      },
    }
  }

  it('a domain is verified where two resolvers show the provider’s signature, and an edited profile is looked up again', async () => {
    const { provider } = wallets
    const { fill, look, known, checked } = await begin()
    await publish(provider, 'Shop.example')
    await fill()
    expect(await known(provider)).toEqual(['NOT_LOOKED_UP', null])
    record(await sign(provider))
    const before = await checked()
    expect(await look()).toBe(1)
    expect(await known(provider)).toEqual(['SIGNED', clock.seconds])
    // Kept answers go by this.
    expect(await checked()).toBe((before ?? 0) + 1)
    expect(await look()).toBe(0)

    await publish(provider, 'shop.example', 'A bank')
    await fill()
    expect(await known(provider)).toEqual(['NOT_LOOKED_UP', null])
    // Not at once: profiles that are published all the time must not use up what others wait for.
    expect(await look()).toBe(0)
    clock.seconds += 60
    expect(await look()).toBe(1)
    expect(await known(provider)).toEqual(['SIGNED', clock.seconds])
    await publish(provider, '')
    await fill()
    expect(await known(provider)).toBeNull()
  })

  it('a domain is nobody’s who only states it, and not theirs whose profile repeats another’s record', async () => {
    const { provider, alice } = wallets
    const { fill, look, known } = await begin()
    await publish(alice, 'shop.example')
    await publish(provider, 'shop.example')
    record(await sign(provider))
    await fill()
    expect(await look()).toBe(2)
    expect(await known(provider)).toEqual(['SIGNED', clock.seconds])
    expect(await known(alice)).toEqual(['OTHER_SIGNATURE', clock.seconds])
  })

  it('where resolvers disagree, whichever of them has the proof, nothing is verified, and a mark is lost at once', async () => {
    const { provider } = wallets
    const { fill, look, known } = await begin()
    await publish(provider, 'shop.example')
    await fill()
    clock.seconds += 60
    const proof = await sign(provider)
    for (const [has, lacks] of [
      [one, other],
      [other, one],
    ] as const) {
      has.zone.set(NAME, { txt: [[proof]] })
      lacks.zone.set(NAME, { txt: [[await sign(wallets.alice)]] })
      await look()
      expect(await known(provider)).toEqual(['RESOLVERS_DISAGREE', clock.seconds])
      clock.seconds += DAY
    }
    record(proof)
    await look()
    expect((await known(provider))?.[0]).toBe('SIGNED')
    clock.seconds += HOUR
    // The record was taken away, and one resolver has not heard of it yet.
    other.zone.delete(NAME)
    await look()
    expect((await known(provider))?.[0]).toBe('RESOLVERS_DISAGREE')
    clock.seconds += DAY
    record(undefined)
    await look()
    expect((await known(provider))?.[0]).toBe('NO_RECORD')
  })

  it('a proof outlasts a resolver that fails by a day, and then nobody vouches for it', async () => {
    const { provider } = wallets
    const { fill, look, known, looks } = await begin()
    await publish(provider, 'shop.example')
    await fill()
    record(await sign(provider))
    await look()
    const verified = await known(provider)
    expect(verified?.[0]).toBe('SIGNED')
    // Servers of the domain that fail say nothing of the resolver.
    other.zone.set(NAME, { rcode: 2 })
    clock.seconds += HOUR
    expect(await look()).toBe(1)
    expect(await known(provider)).toEqual(verified)
    expect(looks.health().resolverFailingSeconds).toEqual({ first: 0, second: 0 })
    other.zone.set(NAME, { isSilent: true })
    clock.seconds += HOUR
    expect(await look()).toBe(1)
    expect(await known(provider)).toEqual(verified)
    await expect
      .poll(() => looks.health().resolverFailingSeconds.second, { timeout: 10_000 })
      .toBeGreaterThan(0)
    expect(looks.health().resolverFailingSeconds.first).toBe(0)
    clock.seconds += DAY
    // Nobody has looked since.
    expect((await known(provider))?.[0]).toBe('OUTDATED')
    await look()
    expect((await known(provider))?.[0]).toBe('RESOLVER_FAILED')
    record(await sign(provider))
    clock.seconds += DAY
    await look()
    expect((await known(provider))?.[0]).toBe('SIGNED')
    expect(looks.health().resolverFailingSeconds).toEqual({ first: 0, second: 0 })
  })

  it('a proof is looked up as often as its record says, and a missing one less and less often', async () => {
    const { provider } = wallets
    const { fill, look } = await begin()
    await publish(provider, 'shop.example')
    await fill()
    const untilNext = async () => {
      const before = clock.seconds
      while ((await look()) === 0) clock.seconds += 60
      return clock.seconds - before
    }
    record(await sign(provider), 5 * HOUR)
    await untilNext()
    expect(await untilNext()).toBe(5 * HOUR)
    record(await sign(provider), 7 * DAY)
    await untilNext()
    expect(await untilNext()).toBe(12 * HOUR)
    record(await sign(provider), 1)
    await untilNext()
    expect(await untilNext()).toBe(HOUR)
    record(undefined)
    await untilNext()
    expect([await untilNext(), await untilNext(), await untilNext()]).toEqual([300, 600, 1_200])
  })

  it('a contract wallet is asked at the index’s block, and only where the record names it', async () => {
    const { bob } = wallets
    const { fill, look, known } = await begin()
    await publish(bob, 'shop.example')
    await client.setCode({ address: bob, bytecode: YES })
    await client.mine({ blocks: 1 })
    await fill()
    record(await sign(wallets.provider))
    clock.seconds += 60
    await look()
    expect((await known(bob))?.[0]).toBe('OTHER_SIGNATURE')
    record(`${bob} 0x${'12'.repeat(80)}`)
    clock.seconds += DAY
    await look()
    expect((await known(bob))?.[0]).toBe('SIGNED')
    await client.setCode({ address: bob, bytecode: '0x' })
    await client.mine({ blocks: 1 })
  })

  it('no name of the operator’s own network is asked for, whatever profiles say', async () => {
    const { provider } = wallets
    const { fill, look, known } = await begin()
    for (const domain of [
      'vault.internal',
      'localhost',
      '127.0.0.1',
      'https://shop.example',
      'x'.repeat(250),
    ]) {
      clock.seconds += DAY
      await publish(provider, domain)
      await fill()
      await look()
      expect(await known(provider), domain).toEqual(['NOT_A_DOMAIN', null])
    }
    expect([...one.asked, ...other.asked]).toEqual([])
  })

  it('no more are looked up in an hour than may be, and those with a mark come first', async () => {
    const { provider, alice, carol } = wallets
    const { fill, look, make, known } = await begin()
    await publish(provider, 'shop.example')
    await fill()
    record(await sign(provider))
    clock.seconds += 60
    await look()
    await publish(alice, 'other.example')
    await publish(carol, 'third.example')
    await fill()
    clock.seconds += DAY
    const bounded = make(2)
    const marked = clock.seconds
    expect(await look(bounded)).toBe(2)
    expect(await look(bounded)).toBe(0)
    expect(bounded.health()).toMatchObject({ due: 1, lookupsLastHour: 2, lookupsPerHour: 2 })
    expect(await known(provider)).toEqual(['SIGNED', marked])
  })

  it('the name of the address stands beside it, without any resolver, and is forgotten where it leads elsewhere', async () => {
    const { provider } = wallets
    const { fill, look, named, known } = await begin({ isOn: false })
    const put = async (leadsTo: Address) => {
      const code = nameRegistryOf(
        { name: 'coffee.base.eth', of: provider, leadsTo },
        { chainId, resolver: RESOLVER },
      )
      await client.setCode({ address: REGISTRY, bytecode: code.registry })
      await client.setCode({ address: RESOLVER, bytecode: code.resolver })
      await client.mine({ blocks: 1 })
    }
    await put(provider)
    await publish(provider, 'shop.example')
    await fill()
    clock.seconds += 60
    await look()
    expect(await named(provider)).toBe('coffee.base.eth')
    expect((await known(provider))?.[0]).toBe('NOT_LOOKED_UP')
    expect([...one.asked, ...other.asked]).toEqual([])
    await put(wallets.alice)
    await fill()
    clock.seconds += HOUR
    await look()
    expect(await named(provider)).toBeNull()
  })

  it('whoever publishes a plan is looked up too', async () => {
    const { dave } = wallets
    const { fill, look, known } = await begin()
    await protocol.create({ provider: dave })
    await fill()
    expect(await look()).toBe(1)
    expect(await known(dave)).toBeNull()
  })
})
