import { feePercent } from '@remit/protocol/fees'
import * as z from 'zod'
import { defineOperation } from '../../declare/operation.ts'
import { toDay } from '../../presentation/day.ts'
import { Address } from '../../schema/hex.ts'
import { Day, Uint256 } from '../../schema/numbers.ts'

/** The protocol's fees and limits, and how far remit has come. */
export const getProtocolState = defineOperation({
  name: 'get_protocol_state',
  effect: 'read',
  kind: 'chain',
  summary: 'Protocol fees and limits, the next day that remit will check, and how far it is behind',
  access: 'read',
  rest: { method: 'GET', path: '/protocol/state' },
  tool: {
    profiles: ['read', 'keeper'],
    text: (state) =>
      `Contract ${state.contractAddress}. Remit has finished every day before ${state.nextUncheckedDay.date}; today is ` +
      `${state.currentDay.date}, ${state.daysBehind} days behind. The caller of remit earns ${state.callerFeePercent} % of each ` +
      `payment. One remit() processes at most ${state.maxRemits} subscribers.`,
  },
  input: z.object({}),
  output: z.object({
    contractAddress: Address,
    callerFeePercent: z
      .number()
      .describe('What the caller of remit earns, in percent of each payment: 2 is 2 %. For display.'),
    systemFeePercent: z
      .number()
      .describe('The system’s part of the caller’s fee, in percent, where it is on. For display.'),
    callerFee: Uint256.describe(
      'callerFeePercent as the contract stores it: 10000 plus hundredths of a percent, so that 10200 is 2 %. ' +
        'Not an amount: calculate as the contract does, amount × callerFee / 10000 − amount.',
    ),
    systemFee: Uint256.describe(
      'systemFeePercent as the contract stores it: 10000 plus hundredths of a percent. Not an amount.',
    ),
    maxRemits: z.int().describe('Most subscribers that one remit() processes.'),
    cancelLimit: z.int().describe('Most accounts that one cleanup processes.'),
    nextUncheckedDay: Day.describe('The first day that remit has not finished.'),
    currentDay: Day.describe('The day of the chain’s clock.'),
    daysBehind: z.int().min(0).describe('Whole days before the current one that remit has not finished.'),
  }),
  async atBlock({ chain }) {
    const settings = await chain.read.protocol()
    return {
      contractAddress: chain.contractAddress,
      callerFeePercent: feePercent(settings.callerFee),
      systemFeePercent: feePercent(settings.systemFee),
      callerFee: settings.callerFee,
      systemFee: settings.systemFee,
      maxRemits: settings.maxRemits,
      cancelLimit: settings.cancelLimit,
      nextUncheckedDay: toDay(settings.nextUncheckedDay),
      currentDay: toDay(chain.today),
      daysBehind: Math.max(0, chain.today - settings.nextUncheckedDay),
    }
  },
})
