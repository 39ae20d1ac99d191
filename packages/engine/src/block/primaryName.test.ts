import { nameRegistryOf } from '@remit/testing/support/chain/nameRegistry'
import { useReadingGround } from '@remit/testing/support/chain/useReadingGround'
import { type Address, concatHex, encodeErrorResult, type Hex, parseAbi, zeroAddress } from 'viem'
import { expect, it } from 'vitest'

const ground = await useReadingGround()
const { provider, alice } = ground.wallets
const registry: Address = `0x${'e1'.repeat(20)}`
const resolver: Address = `0x${'e2'.repeat(20)}`

async function put(code: { readonly registry?: Hex; readonly resolver?: Hex }) {
  await ground.client.setCode({ address: registry, bytecode: code.registry ?? '0x' })
  await ground.client.setCode({ address: resolver, bytecode: code.resolver ?? '0x' })
  await ground.client.mine({ blocks: 1 })
}
const named = (name: string, leadsTo = provider) =>
  nameRegistryOf({ name, of: provider, leadsTo }, { chainId: ground.chainId, resolver })
const read = (address = provider) => ground.view((view) => view.nameOf(address), { nameRegistry: registry })
/** The code of a contract that reverts with these bytes. */
const reverting = (data: Hex): Hex => {
  const bytes = (data.length - 2) / 2
  return concatHex([
    '0x61',
    `0x${bytes.toString(16).padStart(4, '0')}`,
    '0x600c600039',
    '0x61',
    `0x${bytes.toString(16).padStart(4, '0')}`,
    '0x6000fd',
    data,
  ])
}

it('an address has the name that leads back to it, read at one block in four questions', async () => {
  await put(named('coffee.base.eth'))
  expect(await read()).toBe('coffee.base.eth')
  expect(ground.proxy.reads.length).toBe(4)
  expect(await read(alice)).toBeNull()
})

it('a name that leads to somebody else is not theirs', async () => {
  await put(named('vitalik.base.eth', alice))
  expect(await read()).toBeNull()
  await put(named('vitalik.base.eth', zeroAddress))
  expect(await read()).toBeNull()
})

it.each(['Coffee.base.eth', 'pаypal.eth', 'a\u202eb.eth', 'coffee', '', `${'a'.repeat(300)}.eth`])(
  '%j is not written as a name is',
  async (name) => {
    await put(named(name))
    expect(await read()).toBeNull()
  },
)

it('where the registry or the resolver is none, or wants to be looked up elsewhere, there is no name', async () => {
  await put({})
  expect(await read()).toBeNull()
  await put({ registry: named('coffee.base.eth').registry })
  expect(await read()).toBeNull()
  const elsewhere = encodeErrorResult({
    abi: parseAbi(['error OffchainLookup(address, string[], bytes, bytes4, bytes)']),
    args: [resolver, ['http://127.0.0.1:1/{data}'], '0x', '0x00000000', '0x'],
  })
  await put({ registry: named('coffee.base.eth').registry, resolver: reverting(elsewhere) })
  expect(await read()).toBeNull()
})

it('where no registry is known, nothing is asked', async () => {
  expect(await ground.view((view) => view.nameOf(provider))).toBeNull()
  expect(ground.proxy.reads.length).toBe(0)
})
