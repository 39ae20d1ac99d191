import type { GetProtocolStateAnswer, GetStatusAnswer } from '../../generated/api.ts'
import type { Command } from '../Command.ts'
import { factsOf } from '../output/table.ts'
import { blockText, printBody, printHints } from './answer.ts'
import { dayOf, refuseOperands } from './words.ts'

/** `remit state`: prints the state of the protocol and of the index. */
export const state: Command = {
  name: 'state',
  summary: 'The protocol’s fees and limits, how far remit has come, the chain’s head and the index',
  operands: '',
  options: {},
  async run(invocation) {
    const { connection, operands, signal, terminal, json } = invocation
    refuseOperands('state', operands)
    const answer = await connection.client.getProtocolState({}, { signal })
    if (json) {
      printBody(invocation)
      return undefined
    }
    const { chains } = await connection.client.getStatus({}, { signal })
    terminal.out(factsOf(terminal, factsAbout(answer, chains)))
    printHints(invocation, answer)
    return undefined
  },
}

function factsAbout(answer: GetProtocolStateAnswer, chains: GetStatusAnswer['chains']) {
  const { chainId, contractAddress, daysBehind, nextUncheckedDay, currentDay, asOf } = answer
  const health = chains.find((chain) => chain.chainId === chainId)
  return [
    ['Chain', String(chainId)],
    ['Contract', contractAddress],
    ['Head', blockText(asOf)],
    ['Index', indexOf(health?.index ?? null)],
    ['Today', dayOf(currentDay)],
    ['Next unchecked', `${dayOf(nextUncheckedDay)}${lagOf(daysBehind, nextUncheckedDay, currentDay)}`],
    ['Caller’s fee', `${answer.callerFeePercent} % of each payment`],
    ['System’s part', `${answer.systemFeePercent} % of that fee, where it is on`],
    ['One remit', `${answer.maxRemits} subscribers at most`],
    ['One cleanup', `${answer.cancelLimit} accounts at most`],
  ] as const
}

type Day = GetProtocolStateAnswer['currentDay']

function lagOf(daysBehind: number, next: Day, current: Day): string {
  if (next.dayNumber > current.dayNumber) return ', caught up'
  if (daysBehind === 0) return ', today is open'
  return `, ${daysBehind} ${daysBehind === 1 ? 'day' : 'days'} behind`
}

function indexOf(index: GetStatusAnswer['chains'][number]['index']): string {
  if (index === null) return 'none'
  const { source, ok, blockNumber, lagSeconds, synced, backfill, alarm } = index
  const place = blockNumber === null ? 'not begun' : `block ${blockNumber}`
  const lag = synced ? 'synced' : `${lagSeconds ?? '?'} s behind`
  const filling = backfill === null ? [] : [`${backfill.percent} % of the past read`]
  const trouble = ok ? [] : [`not well${alarm === null ? '' : `: ${alarm}`}`]
  return [place, lag, `from ${source}`, ...filling, ...trouble].join(', ')
}
