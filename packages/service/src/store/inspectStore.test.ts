import { describeStores } from '@remit/testing/support/stores/describeStores'
import { expect, it } from 'vitest'
import { inspectSecrets } from './inspectStore.ts'
import { SecretBox } from './SecretBox.ts'

const [OLD, NEW] = ['11'.repeat(32), '22'.repeat(32)]
const NOW = 1_800_000_000_000

describeStores('the check of SECRETS_KEY', (stores) => {
  it('counts the secrets that it does not open', async () => {
    const { store, url } = stores
    expect(await inspectSecrets(url, [OLD], NOW)).toBe('has nothing to open in the store yet')

    const box = new SecretBox([OLD])
    await store.db
      .updateTable('webhook_service')
      .set({ private_key: box.seal('key', 'webhook_service 1') })
      .execute()
    const pass = (id: string, until: number) => ({
      id,
      public_key: 'x',
      sealed_key: box.seal('key', `pass_keys ${id}`),
      signs_from: 0,
      signs_until: until,
    })
    // One that signs no more may stay closed.
    await store.db
      .insertInto('pass_keys')
      .values([pass('a', NOW + 1), pass('b', NOW - 1)])
      .execute()
    const address = `0x${'11'.repeat(20)}`
    await store.db
      .insertInto('rescues')
      .values({
        ...{
          id: 'r',
          chain_id: 1,
          owner: address,
          token: address,
          provider: address,
          value: '0',
          is_allowed: 0,
        },
        ...{ deadline: 0, nonce: '0', is_public: 0, signature: box.seal('0x', 'rescues r'), sender: 'x' },
        ...{ created_at: NOW, checked_at: NOW, checked_block: 1 },
      })
      .execute()
    expect(await inspectSecrets(url, [NEW, OLD], NOW)).toBe('opens all 3 secrets in the store')
    await expect(inspectSecrets(url, [NEW], NOW)).rejects.toThrow('3 of 3 secrets in the store')
  })
})
