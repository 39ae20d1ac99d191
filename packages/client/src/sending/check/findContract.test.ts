import { BUILT_IN_CHAINS } from '@remit/engine/chain/registry'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../createClient.ts'
import { findContract, KNOWN_CONTRACTS, requireContracts } from './findContract.ts'

describe('findContract', () => {
  it('knows the contract of every chain that the service has built in', () => {
    const known = Object.fromEntries(
      BUILT_IN_CHAINS.map(({ chainId, contractAddress }) => [chainId, contractAddress]),
    )
    expect(KNOWN_CONTRACTS).toEqual(known)
  })

  it('puts the caller’s own word before it, and knows nothing of other chains', () => {
    const own = '0x00000000000000000000000000000000deadbeef'
    expect(findContract(8453, { 8453: own })).toBe('0x00000000000000000000000000000000DeaDBeef')
    expect(findContract(8453)).toBe(KNOWN_CONTRACTS[8453])
    expect(findContract(31_337)).toBeUndefined()
  })
})

it.each([
  [{ 31337: '0x5FbDB2315678afecb367f032d93F642f64180aA3' }, 'checksum'],
  [{ 31337: '0x0000000000000000000000000000000000000000' }, 'not the address of a contract'],
  [{ 31337: '0x5FbDB2315678afecb367f032d93F642f64180a' }, 'not the address of a contract'],
  [{ base: '0x5FbDB2315678afecb367f032d93F642f64180aa3' }, 'not a chain id'],
])('requireContracts refuses %o before anything is sent', (contracts, why) => {
  // As JavaScript calls it, which has no types.
  const given = JSON.parse(JSON.stringify(contracts))
  expect(() => requireContracts(given)).toThrow(why)
  expect(() => createClient({ url: 'https://remit.example', contracts: given })).toThrow(TypeError)
})
