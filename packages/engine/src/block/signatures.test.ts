import { NO, YES, YES_TO_NONE } from '@remit/testing/portal/contractWallet'
import { useReadingGround } from '@remit/testing/support/chain/useReadingGround'
import { signerOf } from '@remit/testing/support/chain/useTestChain'
import { type Address, concatHex, type Hex, hashMessage, serializeErc6492Signature, zeroAddress } from 'viem'
import { expect, it } from 'vitest'

const ground = await useReadingGround()
const hash = hashMessage('a sign-in')
const wrap = (signature: Hex): Hex =>
  serializeErc6492Signature({ address: zeroAddress, data: '0x', signature })

const said = (address: Address, signature: Hex) =>
  ground.view((view) => view.isSignedByContract({ address, hash, signature }))

async function contractOf(bytecode: Hex, address: Address = `0x${'d1'.repeat(20)}`): Promise<Address> {
  await ground.client.setCode({ address, bytecode })
  await ground.client.mine({ blocks: 1 })
  return address
}

it('a contract confirms a signature of as many bytes as it likes', async () => {
  const yes = await contractOf(YES)
  for (const signature of [
    '0x',
    '0x12',
    `0x${'12'.repeat(31)}`,
    `0x${'12'.repeat(65)}`,
    wrap('0x'),
  ] as const) {
    expect(await said(yes, signature), signature).toBe(true)
  }
  const no = await contractOf(NO)
  expect(await said(no, '0x')).toBe(false)
  const picky = await contractOf(YES_TO_NONE)
  expect(await said(picky, '0x')).toBe(true)
  expect(await said(picky, '0x12')).toBe(false)
})

it('the code of a delegation (EIP-7702) is a contract', async () => {
  const delegate = await contractOf(YES)
  const { address } = signerOf(3)
  expect(await said(address, '0x1234')).toBe(false)
  await contractOf(concatHex(['0xef0100', delegate]), address)
  expect(await said(address, '0x1234')).toBe(true)
})

it('where there is no contract, nothing is confirmed: neither of the zero address nor of a precompile', async () => {
  const rubbish: Hex = `0x${'00'.repeat(65)}`
  const key = await signerOf(4).signMessage({ message: 'a sign-in' })
  for (const address of [
    zeroAddress,
    signerOf(4).address,
    `0x${'0'.repeat(39)}4`,
    `0x${'0'.repeat(39)}1`,
  ] as const) {
    for (const signature of ['0x', rubbish, wrap('0x'), wrap(rubbish), key, wrap(key)] as const) {
      expect(await said(address, signature), `${address} ${signature}`).toBe(false)
    }
  }
})
