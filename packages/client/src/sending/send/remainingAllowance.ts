import type { Address, Hex } from 'viem'
import type { ChainReads } from '../ChainReads.ts'
import { approvalIn } from '../check/prepareHere.ts'
import type { AllowanceRemains } from '../SendingError.ts'
import type { SentSoFar } from './Sending.ts'

/** For the error of a flow that failed half-way: what the contract may take by an approval that was mined before. `null` where none was. */
export async function remainingAllowance(
  calls: readonly { readonly to: Address; readonly data: Hex }[],
  { account, reads }: { readonly account: Address; readonly reads: Pick<ChainReads, 'allowance'> },
  { approved }: Pick<SentSoFar, 'approved'>,
): Promise<AllowanceRemains | null> {
  const last = calls
    .flatMap(({ to, data }) => {
      const approval = approvalIn(data)
      return approval === undefined ? [] : [{ token: to, ...approval }]
    })
    .at(-1)
  if (last === undefined || last.amount === 0n) return null
  const { token, spender, amount } = last
  const amountRaw = await reads.allowance(token, account).catch(() => (approved ? amount : 0n))
  // Of a bundle it is not known which of its calls went through, but an allowance of that size shows that the approval did.
  return amountRaw > 0n && (approved || amountRaw >= amount) ? { token, spender, amountRaw } : null
}
