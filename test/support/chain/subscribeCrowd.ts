import { Subscriptions } from '@remit/contracts/Subscriptions'
import { callOf, mineBlock } from '@remit/devchain/testing/chain/block'
import { type Address, encodeAbiParameters, keccak256, numberToHex, pad, parseEther } from 'viem'
import { DETAILS, Frequency, type Subscription, units } from './protocolOn.ts'
import type { TestChain } from './useTestChain.ts'

/** Where OpenZeppelin's ERC-20 keeps its balances and allowances. */
const BALANCES_SLOT = 0n
const ALLOWANCES_SLOT = 1n
const PLENTY = numberToHex(10n ** 24n, { size: 32 })
const CALLS_IN_A_BLOCK = 50

/** Lets so many new accounts subscribe, with the means for it put straight into the token's storage. */
export async function subscribeCrowd(
  chain: TestChain,
  subscription: Subscription,
  size: number,
): Promise<Address[]> {
  const { client, contract } = chain
  const crowd = Array.from(
    { length: size },
    (_, index): Address => pad(numberToHex(1_000_000 + index), { size: 20 }),
  )
  const token = subscription.token
  const equip = (some: readonly Address[]) =>
    some.flatMap((account) => {
      const balance = slotOf(account, BALANCES_SLOT)
      const allowance = slotOf(contract, BigInt(slotOf(account, ALLOWANCES_SLOT)))
      return [
        client.setStorageAt({ address: token, index: balance, value: PLENTY }),
        client.setStorageAt({ address: token, index: allowance, value: PLENTY }),
        client.setBalance({ address: account, value: parseEther('1') }),
        client.impersonateAccount({ address: account }),
      ]
    })
  const target = { address: contract, abi: Subscriptions.abi }
  for (let from = 0; from < size; from += CALLS_IN_A_BLOCK) {
    const some = crowd.slice(from, from + CALLS_IN_A_BLOCK)
    await Promise.all(equip(some))
    await mineBlock(
      client,
      some.map((account) => callOf(account, target, 'subscribe', [subscription], 500_000n)),
    )
  }
  return crowd
}

/** Creates so many weekly subscriptions, in the tokens by turns. */
export async function createMany(
  { client, contract }: TestChain,
  creator: Address,
  tokens: readonly Address[],
  size: number,
): Promise<void> {
  const target = { address: contract, abi: Subscriptions.abi }
  const calls = Array.from({ length: size }, (_, index) => {
    const token = at(tokens, index % tokens.length)
    const args = [units('10'), token, DETAILS, Frequency.WEEKLY, 1 + (index % 7)] as const
    return callOf(creator, target, 'createSubscription', args, 500_000n)
  })
  for (let from = 0; from < size; from += CALLS_IN_A_BLOCK) {
    await mineBlock(client, calls.slice(from, from + CALLS_IN_A_BLOCK))
  }
}

/** The place of a key in a mapping of Solidity's. */
function slotOf(key: Address, slot: bigint) {
  return keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [key, slot]))
}

function at(addresses: readonly Address[], index: number): Address {
  const address = addresses[index]
  if (address === undefined) throw new RangeError(`there is no address ${index}`)
  return address
}
