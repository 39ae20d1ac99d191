import type { Address } from 'viem'
import type { BacklogState } from '../../core/chainReads.ts'
import type { ChainView } from '../../core/chains.ts'
import { ViewFailedError } from '../../errors/chain.ts'
import type { TokenTransfer } from '../../protocol/ledger.ts'
import { remitOnce } from '../../protocol/remitOnce.ts'
import { type RemitOutlook, remitOutlook } from '../../protocol/remitOutlook.ts'
import { type RemitBacklog, remitState } from '../../protocol/remitState.ts'
import type { RefusedTransfer } from './remitIssues.ts'

/** A day's transfers that are tried one by one when remit reverts: a few hundred of them fit into one request. */
const MOST_TRIED_TRANSFERS = 400

/** Everything that answers about remit are made of, at the view's block. */
export interface RemitFindings {
  readonly backlog: BacklogState
  readonly outlook: RemitOutlook
  /** Transfers that a reverting remit cannot get past, each refused by its token. */
  readonly refused: readonly RefusedTransfer[]
}

/**
 * Reads the backlog and tries remit, in one HTTP request; one more where subscribers are hidden or the chain
 * does what the rules do not foresee, and one where a remit reverts and what it trips over has to be found.
 *
 * Throws ViewFailedError where subscribers are hidden from the views and the node cannot simulate either.
 */
export async function findRemit(chain: ChainView, caller: Address): Promise<RemitFindings> {
  const [backlog, probe] = await Promise.all([chain.read.backlog(caller), chain.remit.probe(caller)])
  const hiding = hidingEntry(backlog)
  if (hiding !== undefined && probe.method === 'none') {
    throw new ViewFailedError(
      'getSubscribersById',
      `The contract cannot tell who subscribes to ${hiding.terms.id}, and the node cannot simulate remit.`,
    )
  }
  const { systemFee } = backlog.settings
  const rules = toRemitBacklog(chain, caller, backlog)
  const isHidden = hiding !== undefined
  let outlook = remitOutlook(rules, { probe, systemFee, isHidden })
  if (probe.method === 'eth_simulateV1' && outlook.gaps.length > 0) {
    const deep = await chain.remit.probe(caller, backlog.settings)
    if (deep.calls.length > probe.calls.length)
      outlook = remitOutlook(rules, { probe: deep, systemFee, isHidden })
  }
  const refused = outlook.revert === undefined ? [] : await findRefused(chain, rules, outlook)
  return { backlog, outlook, refused }
}

/** Tries everything that the first day due would move, whichever page of it the contract stands at. */
async function findRefused(
  chain: ChainView,
  rules: RemitBacklog,
  { forecast }: RemitOutlook,
): Promise<RefusedTransfer[]> {
  const { nextUncheckedDay } = forecast
  const day = remitOnce(remitState({ ...rules, nextUncheckedDay, maxRemits: Number.POSITIVE_INFINITY }))
  if (!day.ok) return []
  const owners = new Map<TokenTransfer, RefusedTransfer['of']>()
  for (const { transfers, id, subscriber } of day.run.charges) {
    for (const transfer of transfers) owners.set(transfer, { id, subscriber })
  }
  const tried = day.run.transfers.slice(0, MOST_TRIED_TRANSFERS)
  const refusals = await chain.remit.refusals(tried)
  return refusals.map(({ transfer, data }) => ({ transfer, data, of: owners.get(transfer) }))
}

function hidingEntry({ lists }: BacklogState) {
  return lists.flatMap(({ entries }) => entries).find(({ hiddenSubscribers }) => hiddenSubscribers > 0)
}

/** A backlog as the rules of remit take it. Where a page broke off and whether the system is paid, no view tells. */
export function toRemitBacklog(chain: ChainView, caller: Address, backlog: BacklogState): RemitBacklog {
  const { settings, lists, wallets } = backlog
  return {
    currentDay: chain.today,
    nextUncheckedDay: settings.nextUncheckedDay,
    maxRemits: settings.maxRemits,
    callerFee: settings.callerFee,
    systemFee: undefined,
    lists: lists.map(({ frequency, dueDay, entries }) => ({
      frequency,
      dueDay,
      entries: entries.map(({ terms, token, subscribers, listedCount, setSize }) => ({
        terms,
        paused: token.paused,
        decimals: token.decimals,
        listedCount,
        setSize,
        subscribers: subscribers.map(({ subscriber, feeBalance }) => ({ address: subscriber, feeBalance })),
      })),
    })),
    funds: wallets,
    accounts: { contract: chain.contractAddress, caller },
  }
}
