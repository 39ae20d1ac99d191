import type { GetAccountOutlookAnswer, OutlookCharge } from '@remit/client'
import { moneyWords } from '../../words/money.ts'
import { strangersText } from '../../words/strangersText.ts'
import type { Membership } from './memberships.ts'

export interface Verdict {
  readonly kind: 'good' | 'mind' | 'bad'
  readonly words: string
}

const VERDICTS: Readonly<Record<string, Verdict>> = {
  pays: { kind: 'good', words: 'Will be paid' },
  fails: { kind: 'bad', words: 'Will fail' },
  waits: { kind: 'mind', words: 'Waits' },
  skipped: { kind: 'mind', words: 'Passed over' },
}
const NOT_KNOWN: Verdict = { kind: 'mind', words: 'Not known' }

export function chargeVerdict({ verdict }: OutlookCharge): Verdict {
  return VERDICTS[verdict] ?? NOT_KNOWN
}

/** Whether a subscription's next charge will be paid: as it was tried out, else by how long its money lasts. */
export function verdictOf(row: Membership, outlook: GetAccountOutlookAnswer | undefined): Verdict {
  const charge = nextCharge(row, outlook)
  if (charge !== undefined) return chargeVerdict(charge)
  if (row.tokenPaused) return VERDICTS.skipped ?? NOT_KNOWN
  return (row.covers?.periods === 0 ? VERDICTS.fails : VERDICTS.pays) ?? NOT_KNOWN
}

/** What is missing, and what to do about it. */
export function failWords(row: Membership, outlook: GetAccountOutlookAnswer | undefined): string {
  const { token } = row.subscription
  const named = { ...token, symbol: token.symbol === null ? null : strangersText(token.symbol, 12) }
  const { missing } = nextCharge(row, outlook) ?? {}
  const money = missing?.balance.amountRaw ? moneyWords(missing.balance.amount, named) : undefined
  const permission = missing?.allowance.amountRaw ? moneyWords(missing.allowance.amount, named) : undefined
  if (money !== undefined && permission !== undefined) {
    return `Your wallet holds ${money} too little, and your permission is ${permission} too small. Add the money, and extend the permission below.`
  }
  if (money !== undefined)
    return `Your wallet holds ${money} too little. Add it before the day begins (in UTC).`
  if (permission !== undefined)
    return `Your permission is ${permission} too small. Extend it below before the day begins (in UTC).`
  return row.covers?.limitedBy === 'allowance'
    ? 'Your permission is too small for it. Extend it below before the day begins (in UTC).'
    : 'Your wallet holds too little for it. Add money before the day begins (in UTC).'
}

function nextCharge(
  row: Membership,
  outlook: GetAccountOutlookAnswer | undefined,
): OutlookCharge | undefined {
  return outlook?.charges.find(({ subscriptionId }) => subscriptionId === row.subscription.id)
}
