import { computed, signal } from '@preact/signals'
import type { GetProviderOutlookAnswer } from '@remit/client'
import { promptApi } from '../../../page/api.ts'
import type { Known } from '../../../page/Resource.ts'
import { subject } from '../../../subject/subject.ts'
import { SOON_DAYS } from '../members/isSoon.ts'

// A reading of the members' wallets that the provider has asked for, beside the balances that the page came with: the service
// reads those in the background, so they may be hours old.

/** The most members that are listed. */
const ROWS = 10

const read = signal<{ readonly of: string; readonly known: Known<GetProviderOutlookAnswer> } | undefined>(
  undefined,
)

/** What the members' wallets held when somebody last had them read; `undefined` where nobody has. */
export const freshReading = computed(() => (read.value?.of === subject.value ? read.value?.known : undefined))

/** Reads the members' wallets from the chain, at once. Never rejects: a failure is a value. */
export async function readWallets(): Promise<void> {
  const address = subject.peek()
  if (address === undefined) return
  read.value = { of: address, known: { state: 'loading' } }
  const show = (known: Known<GetProviderOutlookAnswer>) => {
    if (read.peek()?.of === address) read.value = { of: address, known }
  }
  try {
    const answer = await promptApi.getProviderOutlook({
      address,
      days: SOON_DAYS + 1,
      first: ROWS,
      fresh: true,
    })
    show({ state: 'there', answer, isStale: false })
  } catch (error) {
    show({ state: 'failed', error })
  }
}

/** That reading's answer; `undefined` where every balance that the page came with is as new. */
export function newerThan({
  verdicts: { oldest },
}: GetProviderOutlookAnswer): GetProviderOutlookAnswer | undefined {
  const known = freshReading.value
  if (known?.state !== 'there') return undefined
  return oldest !== null && oldest.blockNumber >= known.answer.asOf.blockNumber ? undefined : known.answer
}
