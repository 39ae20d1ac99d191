import { type Address, decodeFunctionData, formatUnits, type Hex, isAddressEqual, parseAbi } from 'viem'
import type { Prepared, Subscription } from './answers.ts'

/** The two things that this agent ever signs. */
const abi = parseAbi([
  'function approve(address spender, uint256 amount)',
  'struct Terms { bytes32 id; uint256 amount; address provider; address token; bool cancelled; uint8 frequency; uint16 dueDay; }',
  'function subscribe(Terms subscription)',
])

/** What the wallet is willing to sign, from its own knowledge and not from the service's. */
export interface Limits {
  readonly wallet: Address
  readonly chainId: number
  readonly contract: Address
  readonly plan: Subscription
  /** The most that it takes now, and the most that the protocol may take in all; in the token's smallest unit. */
  readonly mostNow: bigint
  readonly mostAllowance: bigint
}

/** A transaction that may be signed. */
export interface CheckedCall {
  readonly words: string
  readonly to: Address
  readonly data: Hex
}

/**
 * Holds what a service prepared against what was asked for. Throws with a sentence where anything differs.
 *
 * Whoever prepares a transaction decides what it does: calldata is decoded here, and nothing is signed on the
 * strength of words beside it.
 */
export function checkTransactions(prepared: Prepared, limits: Limits): CheckedCall[] {
  const { wallet, plan, mostNow } = limits
  for (const { account, token, amountRaw } of prepared.simulation.balanceChanges) {
    if (!isAddressEqual(account, wallet) || amountRaw >= 0n) continue
    expect(isAddressEqual(token.address, plan.token.address), `it takes ${token.address}`)
    const [taken, most] = [inWords(-amountRaw, plan), inWords(mostNow, plan)]
    expect(-amountRaw <= mostNow, `it takes ${taken} now, and the most is ${most}`)
  }
  const transactions = prepared.unsignedTransactions
  return transactions.map((transaction, index) => {
    const { to, data } = transaction
    return { to, data, words: checkOne(transaction, index === transactions.length - 1, limits) }
  })
}

function checkOne(
  { to, data, value, chainId, from }: Prepared['unsignedTransactions'][number],
  isLast: boolean,
  { wallet, chainId: expected, contract, plan, mostAllowance }: Limits,
): string {
  expect(chainId === expected, `a transaction is for chain ${chainId}`)
  expect(isAddressEqual(from, wallet), `a transaction is for ${from} to sign`)
  expect(BigInt(value) === 0n, 'a transaction sends ether')
  const { functionName, args } = decode(data)
  // Approvals come first, and subscribing is the end of it.
  expect((functionName === 'subscribe') === isLast, `${functionName} is out of its place`)
  if (functionName === 'subscribe') {
    const [{ id }] = args
    expect(isAddressEqual(to, contract), `it subscribes at ${to}`)
    expect(id === plan.id, `it subscribes to ${id}`)
    return 'subscribe'
  }
  const [spender, amount] = args
  expect(isAddressEqual(to, plan.token.address), `it approves another token, ${to}`)
  expect(isAddressEqual(spender, contract), `it approves ${spender}`)
  const [asked, most] = [inWords(amount, plan), inWords(mostAllowance, plan)]
  expect(amount <= mostAllowance, `it approves ${asked}, and the most is ${most}`)
  return `approve ${asked}`
}

function inWords(amountRaw: bigint, { token, tokenDecimals }: Subscription): string {
  return `${formatUnits(amountRaw, tokenDecimals)} ${token.symbol ?? token.address}`
}

function decode(data: Hex) {
  try {
    return decodeFunctionData({ abi, data })
  } catch (cause) {
    throw new Error(`I do not sign this: it calls something that I do not know (${data.slice(0, 10)}).`, {
      cause,
    })
  }
}

function expect(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Error(`I do not sign this: ${otherwise}.`)
}
