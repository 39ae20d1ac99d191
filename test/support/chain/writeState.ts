import { gzipSync } from 'node:zlib'
import { mineBlock } from '@remit/devchain/testing/chain/block'
import {
  type Address,
  bytesToHex,
  concatHex,
  encodeAbiParameters,
  type Hex,
  keccak256,
  maxUint256,
  numberToHex,
  pad,
  stringToHex,
} from 'viem'
import { exchange } from '../service/exchange.ts'
import type { Subscription } from './protocolOn.ts'
import type { TestChain } from './useTestChain.ts'

// States that are too large to be made by transactions, written as the storage that these would leave. The places are
// those of packages/contracts/src/Ledger.sol and of OpenZeppelin's ERC-20 and EnumerableSet.

type Writable = Pick<TestChain, 'client' | 'contract' | 'url'>

const SLOT = { subscriptions: 3n, members: 17n, subscribers: 18n, due: 20n } as const
const MEMBER = { subscribed: 2n, created: 4n } as const
const TOKEN = { balances: 0n, allowances: 1n } as const
/** Of some 130 bytes each, in one request. */
const SLOTS_IN_REQUEST = 50_000
const PLENTY = numberToHex(10n ** 24n, { size: 32 })

type Storage = Record<Hex, Hex>

/**
 * Lets so many accounts subscribe that never did before, each with the means for it. Their fee balances are 0, and the
 * accounts' own lists are not written.
 */
export async function writeSubscribers(
  chain: Writable,
  subscription: Subscription,
  size: number,
): Promise<Address[]> {
  const crowd = Array.from(
    { length: size },
    (_, index): Address => pad(numberToHex(0x5c_0000_0000n + BigInt(index)), { size: 20 }),
  )
  const protocol: Storage = {}
  const token: Storage = {}
  writeSet(protocol, slotOf(subscription.id, SLOT.subscribers), crowd.map(wordOf))
  for (const account of crowd) {
    token[slotOf(wordOf(account), TOKEN.balances)] = PLENTY
    token[slotOf(wordOf(chain.contract), BigInt(slotOf(wordOf(account), TOKEN.allowances)))] = PLENTY
  }
  const due = slotOf(
    numberToHex(subscription.dueDay, { size: 32 }),
    BigInt(slotOf(numberToHex(subscription.frequency, { size: 32 }), SLOT.due)),
  )
  writeSet(protocol, due, [subscription.id])
  await write(chain, chain.contract, protocol)
  await write(chain, subscription.token, token)
  await mineBlock(chain.client, [])
  return crowd
}

/** Has so many subscriptions on one due list, with terms like these and one subscriber, who has the means for them. */
export async function writeDue(
  chain: Writable,
  like: Subscription,
  { subscriber, size }: { subscriber: Address; size: number },
): Promise<Hex[]> {
  const ids = Array.from({ length: size }, (_, index) => keccak256(stringToHex(`written ${index}`)))
  const protocol: Storage = {}
  for (const id of ids) {
    writeTerms(protocol, { ...like, id })
    writeSet(protocol, slotOf(id, SLOT.subscribers), [wordOf(subscriber)])
  }
  writeSet(protocol, memberSlot(subscriber, MEMBER.subscribed), ids)
  const due = slotOf(
    numberToHex(like.dueDay, { size: 32 }),
    BigInt(slotOf(numberToHex(like.frequency, { size: 32 }), SLOT.due)),
  )
  writeSet(protocol, due, ids)
  const token: Storage = {
    [slotOf(wordOf(subscriber), TOKEN.balances)]: numberToHex(maxUint256 >> 1n, { size: 32 }),
    [slotOf(wordOf(chain.contract), BigInt(slotOf(wordOf(subscriber), TOKEN.allowances)))]: numberToHex(
      maxUint256,
      { size: 32 },
    ),
  }
  await write(chain, chain.contract, protocol)
  await write(chain, like.token, token)
  await mineBlock(chain.client, [])
  return ids
}

function writeTerms(
  storage: Storage,
  { id, amount, provider, token, frequency, dueDay }: Subscription,
): void {
  const first = BigInt(slotOf(id, SLOT.subscriptions))
  storage[slotAt(first)] = id
  storage[slotAt(first + 1n)] = numberToHex(amount, { size: 32 })
  storage[slotAt(first + 2n)] = wordOf(provider)
  // From its lowest byte: the token, whether it is cancelled, the frequency, the due day.
  const packed = BigInt(token) | (BigInt(frequency) << 168n) | (BigInt(dueDay) << 176n)
  storage[slotAt(first + 3n)] = numberToHex(packed, { size: 32 })
}

/** An EnumerableSet: its values in order, and the place of each. */
function writeSet(storage: Storage, set: Hex, values: readonly Hex[]): void {
  const first = BigInt(keccak256(set))
  storage[set] = numberToHex(values.length, { size: 32 })
  const positions = BigInt(set) + 1n
  for (const [index, value] of values.entries()) {
    storage[slotAt(first + BigInt(index))] = value
    storage[slotOf(value, positions)] = numberToHex(index + 1, { size: 32 })
  }
}

/** Writes it part by part, as large as a request may be, and mines a block that has all of it. */
async function write(chain: Writable, address: Address, storage: Storage): Promise<void> {
  const { client, url } = chain
  const [code = '0x', nonce, balance] = await Promise.all([
    client.getCode({ address }),
    client.getTransactionCount({ address }),
    client.getBalance({ address }),
  ])
  const slots = Object.entries(storage)
  for (let from = 0; from < slots.length; from += SLOTS_IN_REQUEST) {
    const part = Object.fromEntries(slots.slice(from, from + SLOTS_IN_REQUEST))
    const accounts = { [address]: { nonce, balance: numberToHex(balance), code, storage: part } }
    const dump = { block: null, best_block_number: null, accounts }
    const state = bytesToHex(gzipSync(JSON.stringify(dump), { level: 1 }))
    // The client's socket takes no request of this size.
    const { text } = await exchange(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_loadState', params: [state] }),
    })
    if (!text.includes('"result":true')) throw new Error(`anvil does not take the state: ${text}`)
  }
}

function memberSlot(account: Address, place: bigint): Hex {
  return slotAt(BigInt(slotOf(wordOf(account), SLOT.members)) + place)
}

/** The place of a key in a mapping of Solidity's. */
function slotOf(key: Hex, slot: bigint): Hex {
  return keccak256(concatHex([key, slotAt(slot)]))
}

function slotAt(slot: bigint): Hex {
  return numberToHex(slot % (maxUint256 + 1n), { size: 32 })
}

function wordOf(address: Address): Hex {
  return encodeAbiParameters([{ type: 'address' }], [address])
}
