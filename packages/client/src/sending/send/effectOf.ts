import {
  type Address,
  decodeAbiParameters,
  decodeEventLog,
  decodeFunctionData,
  encodeEventTopics,
  erc20Abi,
  type Hex,
  isAddressEqual,
} from 'viem'
import { subscriptionsAbi } from '../../generated/abi.ts'
import { isSameHex } from '../../request/isSameHex.ts'
import type { ChainReads } from '../chain/ChainReads.ts'
import { approvalIn } from '../check/prepareHere.ts'
import type { WalletLog } from '../wait/MinedCalls.ts'
import { SUBSCRIPTION_EVENTS } from '../wait/ProtocolEvent.ts'

/** What a call leaves on the chain, by which it is known whatever transaction it went in. */
export interface Effect {
  /** Where its log is looked for, and by which topics: `null` for any. */
  readonly address: Address
  readonly topics: readonly (Hex | null)[]
  isShownBy(log: WalletLog): boolean
  /** Whether the chain shows it without a log. */
  isInForce(): Promise<boolean>
}

interface Called {
  readonly call: { readonly to: Address; readonly data: Hex }
  readonly account: Address
  readonly contract: Address
  readonly reads: Pick<ChainReads, 'allowance'>
}

/** The effect of what a wallet is given together with an approval: another approval, or subscribing. */
export function effectOf(called: Called): Effect | undefined {
  return approvalEffect(called) ?? subscribingEffect(called)
}

function approvalEffect({ call: { to, data }, account, contract, reads }: Called): Effect | undefined {
  const approval = approvalIn(data)
  if (approval === undefined || !isAddressEqual(approval.spender, contract)) return undefined
  const { spender, amount } = approval
  const event = { abi: erc20Abi, eventName: 'Approval', args: { owner: account, spender } } as const
  return {
    ...logOf(to, encodeEventTopics(event), (log) => {
      const values = attempt(() => decodeAbiParameters([{ type: 'uint256' }], log.data))
      return values?.[0] === amount
    }),
    // Not every token logs an approval. Remit may have taken of it by then, which is not seen here.
    async isInForce() {
      const allowance = await reads.allowance(to, account)
      return amount === 0n ? allowance === 0n : allowance >= amount
    },
  }
}

function subscribingEffect({ call: { data }, account, contract }: Called): Effect | undefined {
  const read = attempt(() => decodeFunctionData({ abi: subscriptionsAbi, data }))
  if (read?.functionName !== 'subscribe') return undefined
  const [{ id }] = read.args
  const event = { abi: subscriptionsAbi, eventName: 'SubLog', args: { id, subscriber: account } } as const
  return {
    ...logOf(contract, encodeEventTopics(event), ({ data, topics: [signature, ...indexed] }) => {
      if (signature === undefined) return false
      const topics: [Hex, ...Hex[]] = [signature, ...indexed]
      const decoded = attempt(() =>
        decodeEventLog({ abi: subscriptionsAbi, eventName: 'SubLog', data, topics }),
      )
      return decoded !== undefined && SUBSCRIPTION_EVENTS[decoded.args.subScriptEvent] === 'Subscribed'
    }),
    // Only its log says what was taken, so wait for it.
    isInForce: async () => false,
  }
}

function logOf(
  address: Address,
  encoded: readonly (Hex | readonly Hex[] | null)[],
  isMeant: (log: WalletLog) => boolean,
): Pick<Effect, 'address' | 'topics' | 'isShownBy'> {
  const topics = encoded.map((topic) => (typeof topic === 'string' ? topic : null))
  const isLike = ({ topics: given }: WalletLog) =>
    topics.every((topic, index) => topic === null || isSameHex(given[index], topic))
  return {
    address,
    topics,
    isShownBy: (log) => isAddressEqual(log.address, address) && isLike(log) && isMeant(log),
  }
}

/** `undefined` for data of another form. */
function attempt<Read>(read: () => Read): Read | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
