import * as z from 'zod'
import type { TokenLogs } from '../ports/history.ts'
import type { Warning } from '../schema/envelope.ts'
import { BlockNumber } from '../schema/numbers.ts'

/** Says whether the Transfer logs of a token state what it moves: for amounts that come from those logs. */
export const TokenCheck = z
  .object({
    check: z
      .enum(['agrees', 'differs', 'notChecked'])
      .describe(
        'Whether the token’s balances show what it logs, by a simulated transfer. A token that once differed stays so. ' +
          'notChecked: nobody pays in it at present, no node can simulate, or its turn has not come.',
      ),
    checkedAtBlock: BlockNumber.nullable().describe('null if it is not checked.'),
  })
  .describe('Amounts are what the token logged. This says whether its balances agree.')
  .meta({ id: 'TokenCheck' })

export function toTokenCheck({ check }: TokenLogs): z.output<typeof TokenCheck> {
  if (check === null) return { check: 'notChecked', checkedAtBlock: null }
  return { check: check.differs ? 'differs' : 'agrees', checkedAtBlock: check.blockNumber }
}

export function tokenLogsWarnings(logs: readonly TokenLogs[]): Warning[] {
  return logs.flatMap(({ token, loggedOther, check }) => [
    ...(loggedOther ? [loggedOtherWarning(token)] : []),
    ...(check?.differs ? [balancesDifferWarning(token, check.blockNumber)] : []),
  ])
}

function loggedOtherWarning(token: TokenLogs['token']): Warning {
  return {
    code: 'TRANSFER_LOGS_DIFFER',
    message:
      `The token ${token} has not always logged the transfers that the contract asked for: it keeps a part of them, or its ` +
      `logs do not state what moved. Amounts here are what its logs state.`,
    token,
  }
}

function balancesDifferWarning(token: TokenLogs['token'], checkedAtBlock: number): Warning {
  return {
    code: 'TRANSFER_LOGS_DIFFER',
    message:
      `The token ${token} changes balances by other amounts than it logs: a trial of one transfer at block ` +
      `${checkedAtBlock} showed it. Amounts here are what its logs state, and not what arrived.`,
    token,
    checkedAtBlock,
  }
}
