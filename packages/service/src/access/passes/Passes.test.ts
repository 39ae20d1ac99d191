import { describeStores } from '@remit/testing/support/stores/describeStores'
import { expect, it } from 'vitest'
import { SecretBox } from '../../store/SecretBox.ts'
import { PassKeys } from './Passes.ts'

const DAY_MS = 86_400_000
const [OLD, NEW] = ['11'.repeat(32), '22'.repeat(32)]

describeStores('keys of passes', (stores) => {
  it('sign without a gap while the key that seals them is replaced, and each is published before and after', async () => {
    let now = Date.UTC(2026, 0, 1)
    const log = { info() {}, warn() {}, error() {} }
    const { store } = stores
    const keysWith = (...secrets: string[]) =>
      // Time passes between any two readings of the clock.
      new PassKeys({ store, box: new SecretBox(secrets), log, now: () => now++ })
    const published = async (keys: PassKeys) => (await keys.published()).map(({ kid }) => kid)

    const first = (await keysWith(OLD).signing()).id
    now += 28.5 * DAY_MS
    const both = keysWith(NEW, OLD)
    expect((await both.signing()).id).toBe(first)
    // The next one, two days before it signs.
    const [, next] = await published(both)
    expect(next).toBeDefined()

    now += 0.1 * DAY_MS
    const after = keysWith(NEW)
    const { id: between } = await after.signing()
    expect([first, next]).not.toContain(between)
    expect(await published(after)).toEqual(expect.arrayContaining([first, between, next]))

    now += 2 * DAY_MS
    expect((await keysWith(NEW).signing()).id).toBe(next)
    now += 40 * DAY_MS
    const later = keysWith(NEW)
    expect(await published(later)).toEqual([(await later.signing()).id])
  })
})
