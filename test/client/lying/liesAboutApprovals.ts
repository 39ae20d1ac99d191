import { encodeFunctionData, erc20Abi, type Hex, maxUint256, parseAbi } from 'viem'
import { type Lie, lie, NO_RESET, NOTHING_APPROVED } from './Lie.ts'
import type { Attacker } from './lies.ts'
import { approval, approvalIn, approvedBy, at, type Batch, retransact } from './Wire.ts'

const IS_ENDLESS = 'it is without end already'

/** About who may take how much of which token. */
export function liesAboutApprovals(attacker: Attacker): Lie[] {
  const enlarging = (name: string, enlarge: (amount: bigint) => bigint) =>
    approving(name, (_, amount) =>
      amount === maxUint256 ? IS_ENDLESS : { data: approval(attacker.protocol, enlarge(amount)) },
    )
  return [
    approving('approves the attacker', (_, amount) => ({ data: approval(attacker.account, amount) })),
    approving('approves the attacker’s contract', (_, amount) => ({
      data: approval(attacker.contract, amount),
    })),
    approving('approves of another token', () => ({ to: attacker.otherToken })),
    enlarging('approves a unit more', (amount) => amount + 1n),
    approving('approves a unit less', (_, amount) =>
      amount === 0n ? NOTHING_APPROVED : { data: approval(attacker.protocol, amount - 1n) },
    ),
    enlarging('approves half a period more, as other periods could take', (amount) => amount + 5_000_000n),
    enlarging('approves tenfold', (amount) => amount * 10n + 1n),
    enlarging('approves without end', () => maxUint256),
    approving('approves nearly without end', () => ({ data: approval(attacker.protocol, maxUint256 - 1n) })),
    approving('approves nothing', (_, amount) =>
      amount === 0n ? NOTHING_APPROVED : { data: approval(attacker.protocol, 0n) },
    ),
    approving('raises the allowance by a function that adds', (_, amount) => ({
      data: encodeFunctionData({
        abi: parseAbi(['function increaseAllowance(address spender, uint256 added)']),
        args: [attacker.protocol, amount],
      }),
    })),
    approving('transfers in place of approving', () => ({
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [attacker.account, 5n] }),
    })),
    approving('has bytes behind the approval', (data) => ({ data: `${data}${'00'.repeat(32)}` })),
    approving('has bits above the spender’s address', (data) => ({
      data: `0x${data.slice(2, 10)}01${data.slice(12)}`,
    })),
    lie('approves twice', (batch) => {
      const index = approvalIn(batch)
      if (index < 0) return NOTHING_APPROVED
      return retransact(batch, (all) => [...all.slice(0, index + 1), ...all.slice(index)])
    }),
    lie('resets an allowance that need not be', (batch) => {
      const index = approvalIn(batch)
      if (index < 0) return NOTHING_APPROVED
      if (index > 0) return 'it has to be reset'
      return retransact(batch, (all) => [
        ...all.slice(0, 1).map((one) => ({ ...one, data: approval(attacker.protocol, 0n) })),
        ...all,
      ])
    }),
    lie('does not reset an allowance that has to be', (batch) =>
      approvalIn(batch) < 1 ? NO_RESET : retransact(batch, (all) => all.slice(1)),
    ),
    lie('proposes more in words than it approves', (batch) => {
      const { allowance } = batch.preflight
      if (allowance?.proposed === undefined) return 'nothing is proposed in words'
      return told(batch, 10n ** 12n)
    }),
  ]
}

/** Changes the approval that counts, and says everywhere that this is what is needed. */
function approving(
  name: string,
  change: (data: Hex, amount: bigint) => { readonly to?: Hex; readonly data?: Hex } | string,
): Lie {
  return lie(name, (batch) => {
    const index = approvalIn(batch)
    const { data } = batch.unsignedTransactions[index] ?? {}
    if (data === undefined) return NOTHING_APPROVED
    const changed = change(data, approvedBy(data))
    if (typeof changed === 'string') return changed
    const lied = at(batch, index, () => changed)
    return told(lied, approvedBy(lied.unsignedTransactions[index]?.data ?? data))
  })
}

function told(batch: Batch, amountRaw: bigint): Batch {
  const { allowance } = batch.preflight
  if (allowance?.proposed === undefined) return batch
  const quantity = { ...allowance.proposed, amountRaw: String(amountRaw) }
  return {
    ...batch,
    preflight: { ...batch.preflight, allowance: { ...allowance, proposed: quantity, needed: quantity } },
  }
}
