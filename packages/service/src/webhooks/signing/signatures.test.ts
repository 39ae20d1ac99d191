import { describeStores } from '@remit/testing/support/stores/describeStores'
import { expect, it } from 'vitest'
import { SecretBox } from '../../store/SecretBox.ts'
import { ServiceKey } from './signatures.ts'

const [OLD, NEW] = ['11'.repeat(32), '22'.repeat(32)]

describeStores('the key that signs webhooks', (stores) => {
  const publicKeyWith = async (...keys: string[]) =>
    (await new ServiceKey(stores.store, new SecretBox(keys)).get()).publicKey

  it('outlives a start with a SECRETS_KEY that does not open it, which is refused', async () => {
    const made = await publicKeyWith(OLD)
    await expect(publicKeyWith(NEW)).rejects.toThrow(/The key that signs webhooks .* SECRETS_KEY/)
    expect(await publicKeyWith(OLD)).toBe(made)
    expect(await publicKeyWith(NEW, OLD)).toBe(made)
  })
})
