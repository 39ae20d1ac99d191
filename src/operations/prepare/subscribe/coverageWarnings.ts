import type { Address } from 'viem'
import type { Standing } from '../../../core/ports/chainReads.ts'
import { toDay } from '../../../presentation/day.ts'
import { isShortened, type SubscribeEffect } from '../../../protocol/coverage/subscribeEffect.ts'
import type { Warning } from '../../../schema/answer.ts'
import { counted, inWords, quantityFact } from '../answer/preconditions.ts'

/** Warns about charges that the wallet cannot pay after it has subscribed. */
export function coverageWarnings(
  state: Standing,
  effect: SubscribeEffect,
  { from, keepCoverage }: { readonly from: Address; readonly keepCoverage: boolean },
): Warning[] {
  return [...balanceShort(state, effect, from), ...shortensCoverage(state, effect, keepCoverage)]
}

function balanceShort(
  { terms, token, wallet }: Standing,
  { shortfall }: SubscribeEffect,
  from: Address,
): Warning[] {
  if (shortfall === null) return []
  const { needed, missing, failing } = shortfall
  const [by, through] = [toDay(shortfall.by), toDay(shortfall.through)]
  const whose = failing === terms.id ? 'this subscription' : `the wallet's subscription ${failing}`
  return [
    {
      code: 'BALANCE_SHORT',
      message:
        `${from} holds ${inWords(wallet.balance, token)}. Up to ${through.date} the first charge and the three ` +
        `after it, and what the wallet's other subscriptions in this token take, come to ${inWords(needed, token)}: ` +
        `${inWords(missing, token)} are missing. Without more money by ${by.date}, the charge of that day fails, ` +
        `and remit drops the wallet from ${whose} for good.`,
      token: token.address,
      balance: quantityFact(wallet.balance, token),
      needed: quantityFact(needed, token),
      missing: quantityFact(missing, token),
      by,
      through,
      failing,
    },
  ]
}

function shortensCoverage(
  { token }: Standing,
  { others }: SubscribeEffect,
  keepCoverage: boolean,
): Warning[] {
  const shortened = others.filter(({ allowanceCovers }) => isShortened(allowanceCovers)).map(({ id }) => id)
  if (shortened.length === 0) return []
  const advice = keepCoverage
    ? 'keepCoverage keeps their dates for a hundred years ahead, and not beyond.'
    : 'With keepCoverage: true the prepare approves what keeps their dates.'
  return [
    {
      code: 'SHORTENS_COVERAGE',
      message:
        `The allowance is shared: once this is subscribed to, it lasts less long for ` +
        `${counted(shortened.length, 'other subscription')} of the wallet (see alsoAffects). ${advice}`,
      token: token.address,
      subscriptions: shortened,
    },
  ]
}
