import {
  type Address,
  concatHex,
  encodeAbiParameters,
  type Hex,
  type LocalAccount,
  type PublicClient,
  parseAbi,
  parseAbiItem,
  sliceHex,
} from 'viem'
import { entryPoint07Abi } from 'viem/account-abstraction'
import { accountCalls, assertKnownAccount, type KnownAccounts } from './accountCalls.ts'
import { assertAsPrepared, type Ground } from './asPrepared.ts'
import type { Budget } from './Budget.ts'
import { Refused } from './Refused.ts'
import { mostCostOf, packed, type UserOperation } from './UserOperation.ts'

/**
 * How long a signature of the paymaster's holds: by the chain's clock, and by that of this machine, which bundlers take for it.
 * The two differ on a development chain alone.
 */
const VALID_SECONDS = 600

/** The paymaster's own part: it checks one signature, and does nothing after the operation. */
const OWN_GAS = { paymasterVerificationGasLimit: 60_000n, paymasterPostOpGasLimit: 0n }

/** @see VerifyingPaymaster of @account-abstraction/contracts 0.7, whose signature covers all of an operation but its own part */
const paymasterAbi = parseAbi([
  'struct PackedUserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
  'function getHash(PackedUserOperation userOp, uint48 validUntil, uint48 validAfter) view returns (bytes32)',
])

const OPERATION_EVENT = parseAbiItem(
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
)

/** The fields of a user operation that say who pays. */
export interface PaymasterFields {
  readonly paymaster: Address
  readonly paymasterData: Hex
  readonly paymasterVerificationGasLimit: bigint
  readonly paymasterPostOpGasLimit: bigint
}

interface SponsorOptions {
  readonly chain: PublicClient
  readonly ground: Ground
  readonly entryPoint: Address
  readonly paymaster: Address
  /** Whose signatures the paymaster's contract takes. */
  readonly signer: LocalAccount
  readonly accounts: KnownAccounts
  readonly budget: Budget
  /** The most that one operation may cost, in wei. */
  readonly mostWei: bigint
}

/** Decides which operations are paid for, and signs for those. */
export class Sponsor {
  readonly #options: SponsorOptions

  constructor(options: SponsorOptions) {
    this.#options = options
  }

  /** What an operation's gas is estimated with. It pays for nothing. Throws Refused for what would not be paid for. */
  async stub(operation: UserOperation): Promise<PaymasterFields> {
    await this.#judge(operation)
    const { signer, paymaster } = this.#options
    // Of the same length as the real one, and run through the same code.
    const signature = await signer.signMessage({ message: 'an estimate' })
    return { paymaster, paymasterData: paymasterData(2 ** 47, signature), ...OWN_GAS }
  }

  /** Sets the operation's cost aside, and signs for exactly this operation. Throws Refused. */
  async sign(operation: UserOperation): Promise<PaymasterFields> {
    const { chain, budget, paymaster, signer, mostWei } = this.#options
    const wei = mostCostOf(operation, OWN_GAS)
    if (operation.callGasLimit === 0n || wei === 0n) throw new Refused('its gas is not estimated yet')
    if (wei > mostWei) throw new Refused(`it could cost ${wei} wei, and ${mostWei} is the most for one`)
    const plan = await this.#judge(operation)
    const block = await this.settle()
    const pending = await chain.getBlock({ blockTag: 'pending' })
    const now = Math.max(Number(pending.timestamp), Math.floor(Date.now() / 1_000))
    const validUntil = now + VALID_SECONDS
    const unsigned = { paymaster, paymasterData: paymasterData(validUntil, '0x'), ...OWN_GAS }
    const hash = await chain.readContract({
      address: paymaster,
      abi: paymasterAbi,
      functionName: 'getHash',
      args: [packed(operation, unsigned), validUntil, 0],
    })
    // Between this line and the next nothing else runs: no other operation is granted the same wei.
    budget.grant({ plan, sender: operation.sender, nonce: operation.nonce, wei, validUntil, block })
    const signature = await signer.signMessage({ message: { raw: hash } })
    return { ...unsigned, paymasterData: paymasterData(validUntil, signature) }
  }

  /**
   * Ends the grants of which the chain says what became: those that were mined by what they cost, and those whose time is over by
   * nothing. Returns the newest block's number.
   */
  async settle(): Promise<bigint> {
    const { chain, entryPoint, paymaster, budget } = this.#options
    const { number, timestamp } = await chain.getBlock()
    const { open } = budget
    if (open.length === 0) return number
    let fromBlock = number
    for (const { block } of open) if (block < fromBlock) fromBlock = block
    const logs = await chain.getLogs({
      address: entryPoint,
      event: OPERATION_EVENT,
      args: { paymaster },
      fromBlock,
      toBlock: number,
      strict: true,
    })
    for (const { args } of logs) budget.end(args, args.actualGasCost)
    // A block of a later time takes none of them any more, and all before it were looked at.
    for (const grant of open) if (grant.validUntil < Number(timestamp)) budget.end(grant, 0n)
    return number
  }

  /** The plan that the operation is about. Throws Refused. */
  async #judge(operation: UserOperation): Promise<Hex> {
    const { chain, ground, entryPoint, accounts, budget } = this.#options
    const { sender, nonce, callData } = operation
    const calls = accountCalls(callData)
    const plan = planOf(calls.at(-1)?.data ?? '0x')
    if (plan === undefined || !budget.hasPlan(plan))
      throw new Refused('it is about no plan that is paid for here')
    const next = await chain.readContract({
      address: entryPoint,
      abi: entryPoint07Abi,
      functionName: 'getNonce',
      args: [sender, nonce >> 64n],
    })
    if (next !== nonce) throw new Refused('its nonce is not the next one')
    await assertKnownAccount(chain, accounts, operation)
    await assertAsPrepared(ground, plan, sender, calls)
    return plan
  }
}

/** The 32 bytes behind the selector: of subscribe and unsubscribe it is the plan's id. What else they could be is refused later. */
function planOf(data: Hex): Hex | undefined {
  return data.length < 2 + 2 * 36 ? undefined : sliceHex(data, 4, 36)
}

function paymasterData(validUntil: number, signature: Hex): Hex {
  const times = encodeAbiParameters([{ type: 'uint48' }, { type: 'uint48' }], [validUntil, 0])
  return concatHex([times, signature])
}
