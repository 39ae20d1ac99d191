import { describe, expect, it } from 'vitest'
import { BUILT_IN_CHAINS } from '../../../src/chain/registry.ts'
import { findContract, KNOWN_CONTRACTS } from './findContract.ts'

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
