import { Subscriptions } from '@remit/contracts/Subscriptions'
import { BUILT_IN_CHAINS } from '@remit/engine/chain/registry'
import { toFunctionSelector, toFunctionSignature } from 'viem'
import { describe, expect, it } from 'vitest'
import { deployments, signatures } from './descriptor.ts'

describe('the descriptor', () => {
  it('is of the deployed contracts', () => {
    expect(deployments).toEqual(
      BUILT_IN_CHAINS.map(({ chainId, contractAddress: address }) => ({ chainId, address })),
    )
  })

  it('has every function that users sign, by the contract’s own selectors, and each field of it', () => {
    const known = new Map(
      Subscriptions.abi.flatMap((entry) =>
        entry.type === 'function'
          ? [[toFunctionSelector(toFunctionSignature(entry)), entry.name] as const]
          : [],
      ),
    )
    const names = signatures.map((signature) => known.get(toFunctionSelector(`function ${signature}`)))
    expect(names.sort()).toEqual([
      'cancelSubscription',
      'createSubscription',
      'editDetails',
      'editProvDetails',
      'remit',
      'subscribe',
      'unsubscribe',
      'unsubscribeByProvider',
    ])
  })
})
