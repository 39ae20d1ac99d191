import * as z from 'zod'
import type { TokenFacts } from '../../core/ports/chainReads.ts'
import { toToken } from '../../presentation/token.ts'
import { formatHuman, minimumRaw } from '../../protocol/amounts.ts'
import { RawAmount } from '../../schema/amount.ts'
import { Token } from '../../schema/token.ts'

export const ApprovedToken = Token.extend({
  minimum: z.string().describe('Minimum amount of a subscription, exact, in human units.'),
  minimumRaw: RawAmount.describe("The same in the token's smallest unit, rounded up to a whole one."),
  paused: z.boolean().describe('While paused nobody can create or subscribe, and remit skips it.'),
}).meta({ id: 'ApprovedToken' })

export function toApprovedToken(token: TokenFacts): z.output<typeof ApprovedToken> {
  const leastRaw = minimumRaw(token.minimum, token.decimals)
  return {
    ...toToken(token),
    minimum: formatHuman(leastRaw, token.decimals),
    minimumRaw: leastRaw,
    paused: token.paused,
  }
}

/** One token in one line. */
export function approvedTokenText({
  symbol,
  address,
  minimum,
  paused,
}: z.output<typeof ApprovedToken>): string {
  return `${symbol ?? 'a token without a symbol'} ${address}, least amount ${minimum}${paused ? ', paused' : ''}`
}
