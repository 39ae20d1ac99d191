import type { NewRescue } from '@remit/engine/ports/rescues'
import { silentLog } from '@remit/testing/support/chain/useReadingGround'
import { describeStores, type StoreForTests } from '@remit/testing/support/stores/describeStores'
import { Receiver } from '@remit/testing/support/webhooks/Receiver'
import {
  anyChallenge,
  listeningTo,
  startDelivering,
  TEST_SECRETS_KEY,
} from '@remit/testing/support/webhooks/startDelivering'
import { type Address, getAddress, type Hex, padHex, toHex } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { StoreAccess } from '../access/StoreAccess.ts'
import { resealSecrets } from '../store/resealSecrets.ts'
import { SecretBox } from '../store/SecretBox.ts'
import { Rescues } from './Rescues.ts'

const CHAIN = 31_337
const NOW = 1_772_452_800
const SIGNATURE: Hex = `0x${'ab'.repeat(65)}`
const account = (index: number): Address => getAddress(padHex(toHex(index), { size: 20 }))
const [TOKEN, PROVIDER] = [account(1), account(2)]

const permit = (change: Partial<NewRescue> = {}): NewRescue => ({
  chainId: CHAIN,
  owner: account(100),
  token: TOKEN,
  provider: PROVIDER,
  value: 50_000_000n,
  isAllowed: false,
  deadline: NOW + 3_600,
  nonce: 0n,
  signature: SIGNATURE,
  isPublic: false,
  ...change,
})
const news = { now: NOW, blockNumber: 7, subscriptionIds: [] }
const query = { chainId: CHAIN, provider: PROVIDER, now: NOW, first: 10, after: undefined }

function rescuesIn({ store }: Pick<StoreForTests, 'store'>, keys = [TEST_SECRETS_KEY], webhooks = false) {
  const box = new SecretBox(keys)
  const access = new StoreAccess(silentLog)
  return new Rescues({ store, access, box, secret: TEST_SECRETS_KEY, webhooks, log: silentLog })
}

const from = (address: string) => ({ id: address })
const holder = (wallet: Address) => ({ id: 'key', subject: wallet.toLowerCase(), address: '203.0.113.1' })

describeStores('permits that are kept', (stores) => {
  afterEach(async () => {
    await stores.store.db.deleteFrom('rescues').execute()
  })

  it('hold three of a wallet, fifty of a network address and a thousand of a provider', async () => {
    const rescues = rescuesIn(stores)
    const keep = (change: Partial<NewRescue>, address: string) =>
      rescues.of(from(address)).keep(permit(change), news)
    for (const token of [1, 2, 3]) await keep({ token: account(token) }, `203.0.113.${token}`)
    const tooMany = (of: string, maxRescues: number) => ({ code: 'MAX_RESCUES', facts: { of, maxRescues } })
    await expect(keep({ nonce: 1n }, '203.0.113.9')).rejects.toMatchObject(tooMany('wallet', 3))
    // One more of a nonce takes the place of the first.
    expect((await keep({ value: 60_000_000n }, '203.0.113.9')).value).toBe(60_000_000n)

    const flooding = (owner: number) =>
      keep({ owner: account(owner), provider: account(owner) }, '198.51.100.1')
    for (let owner = 200; owner < 250; owner += 1) await flooding(owner)
    await expect(flooding(250)).rejects.toMatchObject(tooMany('address', 50))

    const [row] = await stores.store.db.selectFrom('rescues').selectAll().limit(1).execute()
    if (row === undefined) throw new Error('nothing is kept')
    const many = Array.from({ length: 1_000 }, (_, index) => ({
      ...row,
      ...{ id: `rescue_many${index}`, owner: account(1_000 + index).toLowerCase(), sender: `${index}` },
      provider: account(3).toLowerCase(),
    }))
    for (let start = 0; start < many.length; start += 100) {
      const values = many.slice(start, start + 100)
      await stores.store.db.insertInto('rescues').values(values).execute()
    }
    const last = keep({ owner: account(5_000), provider: account(3) }, '203.0.113.10')
    await expect(last).rejects.toMatchObject(tooMany('provider', 1_000))
    // What is over counts no longer.
    const later = { ...news, now: NOW + 3_601 }
    const renewed = permit({ owner: account(5_000), provider: account(3), deadline: NOW + 9_000 })
    await rescues.of(from('198.51.100.1')).keep(renewed, later)
    expect(await stores.store.db.selectFrom('rescues').select('id').execute()).toHaveLength(1)
  })

  it('are paged, newest first, to those who may see them alone', async () => {
    const rescues = rescuesIn(stores)
    const owners = [account(100), account(101), account(102)] as const
    for (const [index, owner] of owners.entries()) {
      await rescues.of(from('203.0.113.1')).keep(permit({ owner, isPublic: index === 1 }), news)
    }
    const elsewhere = { provider: account(3), isPublic: true }
    await rescues.of(from('203.0.113.1')).keep(permit({ ...elsewhere, owner: account(103) }), news)
    await rescues
      .of(from('203.0.113.1'))
      .keep(permit({ ...elsewhere, owner: account(104), chainId: 1 }), news)
    const pages = async (who: Parameters<Rescues['of']>[0], of: { readonly provider?: undefined } = {}) => {
      const seen: Address[] = []
      for (let after: string | undefined; ; ) {
        const page = await rescues.of(who).list({ ...query, ...of, first: 1, after })
        seen.push(...page.rows.map(({ owner }) => owner))
        if (page.nextCursor === null) return seen.toSorted()
        after = page.nextCursor
      }
    }
    expect(await pages(holder(PROVIDER))).toEqual([...owners])
    expect(await pages(holder(owners[0]))).toEqual([owners[0], owners[1]])
    expect(await pages(holder(account(3)))).toEqual([owners[1]])
    expect(await pages(from('203.0.113.1'))).toEqual([owners[1]])
    // Of all providers they are the public ones, to everybody.
    for (const who of [from('203.0.113.1'), holder(PROVIDER), holder(owners[0])]) {
      expect(await pages(who, { provider: undefined })).toEqual([owners[1], account(103)])
    }
    expect((await rescues.of(holder(PROVIDER)).list({ ...query, now: NOW + 3_601 })).rows).toEqual([])
    await expect(rescues.of(from('a')).list({ ...query, after: 'x' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    })
  })

  it('hold signatures and addresses that nobody reads in the store, under a key that can be replaced', async () => {
    const kept = await rescuesIn(stores).of(from('203.0.113.1')).keep(permit(), news)
    const rows = JSON.stringify(await stores.store.db.selectFrom('rescues').selectAll().execute())
    expect(rows).not.toContain(SIGNATURE.slice(2, 40))
    expect(rows).not.toContain('203.0.113.1')
    const other = '7a'.repeat(32)
    await resealSecrets(stores.store, new SecretBox([other, TEST_SECRETS_KEY]))
    const { rows: opened } = await rescuesIn(stores, [other]).of(holder(PROVIDER)).list(query)
    expect(opened).toEqual([kept])
    // Without any key of theirs they are nobody's.
    expect((await rescuesIn(stores).of(holder(PROVIDER)).list(query)).rows).toEqual([])
  })

  it('are told to those webhooks of the provider that name them and whose filters fit', async () => {
    const receiver = await new Receiver().start()
    const { webhooks } = startDelivering(stores.store)
    const url = receiver.url('/')
    const types = ['rescue.offered'] as const
    const make = async (subject: Address, wishes: object) => {
      const wanted = { ...listeningTo(url), types, ...wishes }
      return (await webhooks.create(subject.toLowerCase(), wanted, anyChallenge)).webhook.id
    }
    const saved: Hex = `0x${'c0'.repeat(32)}`
    const hearing = [
      await make(PROVIDER, {}),
      await make(PROVIDER, { subscriptionId: saved, account: account(100), provider: PROVIDER }),
    ]
    await make(PROVIDER, { types: null })
    await make(PROVIDER, { account: account(101) })
    await make(PROVIDER, { subscriptionId: `0x${'c1'.repeat(32)}` })
    await make(account(100), {})
    await receiver.close()
    const rescues = rescuesIn(stores, [TEST_SECRETS_KEY], true)
    await rescues.of(from('203.0.113.1')).keep(permit(), { ...news, subscriptionIds: [saved] })
    // The same again is no news.
    await rescues.of(from('203.0.113.1')).keep(permit(), { ...news, subscriptionIds: [saved] })
    const rows = await stores.store.db.selectFrom('webhook_deliveries').selectAll().execute()
    expect(rows.map(({ endpoint_id }) => endpoint_id).toSorted()).toEqual(hearing.toSorted())
    expect(JSON.stringify(rows)).not.toContain(SIGNATURE.slice(2, 40))
  })

  it('that cannot be looked for are said to be unknown', async () => {
    const store = await stores.open()
    const rescues = rescuesIn({ store })
    const asked = { chainId: CHAIN, owner: account(100), token: TOKEN }
    await rescues.of(from('203.0.113.1')).keep(permit(), news)
    expect(await rescues.outstanding(asked)).toEqual([
      { value: 50_000_000n, deadline: NOW + 3_600, nonce: 0n },
    ])
    expect(await rescues.outstanding({ ...asked, token: PROVIDER })).toEqual([])
    await store.close()
    expect(await rescues.outstanding(asked)).toBeUndefined()
  })
})
