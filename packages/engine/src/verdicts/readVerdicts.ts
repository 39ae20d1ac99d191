import { type Judgement, judgePayer } from '@remit/protocol/outlook/judgePayer'
import type { TokenTransfer } from '@remit/protocol/remit/remitState'
import { type Address, getAddress, type Hex } from 'viem'
import { ViewFailedError } from '../errors/chain.ts'
import type { PayersState, TokenFacts } from '../ports/chainReads.ts'
import type { ChainView } from '../ports/chains.ts'
import type { ChargedMembership, Verdict } from '../ports/verdicts.ts'
import type { SeenCharges } from './seenCharges.ts'

// A verdict: which of a membership's charges to come pay and which fail (ports/verdicts.ts), one letter each: P pays, F pays and fills the
// fee balance, S is skipped, X fails. Those come from the protocol's rules (`judgePayer`); B, blocked by the token, from a trial here. The
// service's sweep reads verdicts in batches for the index, and outlooks with `fresh` for one answer. A payer is a wallet with one token; its
// memberships share allowance and balance, so they are judged together. Memberships are told apart by their index in the given list.

/** How many days ahead verdicts list charges: what an answer may ask for, and a month, because one may be that old. */
export const VERDICT_DAYS = 124

/** Who calls remit in the trials. Whose transfers are tried does not depend on it. */
const NOBODY: Address = '0x000000000000000000000000000000000000dEaD'

/** How many requests the trials of transfers take at most. Most nodes take 400 transfers at once; one that cannot simulate takes 39. */
const MOST_TRIALS = 16

/** A membership, and what was read of it. */
export interface JudgedMembership extends ChargedMembership {
  /** `undefined` if its token cannot be read, or the transfer could not be tried. */
  readonly verdict: Verdict | undefined
  /** What the first of its charges that pays will move; empty if none will pay, or a transfer was refused or could not be tried. */
  readonly transfers: readonly TokenTransfer[]
}

/**
 * Judges memberships at one block. In this order: allowance, balance and fee balance are read; the protocol's rules go through each
 * payer's charges (`judge`); and the transfers of each membership's first charge that pays are tried, because its token may refuse them.
 *
 * @param memberships with all others of the same payers in the same tokens
 * @param seen charges that a simulation of remit has shown, where a call of remit may break off within a day
 * @returns them in the same order, and how many questions to the node it took
 */
export async function readVerdicts(
  chain: ChainView,
  memberships: readonly ChargedMembership[],
  seen: SeenCharges,
): Promise<{ readonly judged: readonly JudgedMembership[]; readonly requests: number }> {
  if (memberships.length === 0) return { judged: [], requests: 0 }
  const addresses = [...new Set(memberships.map(({ terms }) => getAddress(terms.token)))]
  const shared = sharedLists(memberships)
  const [state, tokens, due] = await Promise.all([
    chain.read.payers(
      memberships.map(({ subscriber, terms }) => ({ id: terms.id, account: subscriber, token: terms.token })),
    ),
    chain.read.tokens(addresses),
    shared.length === 0 ? [] : dueLists(chain, shared),
  ])
  const dueOrder = due.flatMap(({ subscriptionIds }) => subscriptionIds)
  const facts = new Map(tokens.map((token) => [token.address, token]))
  const judgements = judge(chain, memberships, state, { facts, dueOrder, seen })
  const { refused, untried, requests } = await tryFirstTransfers(chain, judgements)
  return {
    judged: memberships.map((membership, index) => {
      const judgement = untried.has(index) ? undefined : judgements[index]
      const isRefused = refused.has(index)
      return {
        ...membership,
        verdict: judgement && toVerdict(judgement, isRefused),
        transfers: isRefused ? [] : (judgement?.firstPaid?.transfers ?? []),
      }
    }),
    requests: state.requests + 1 + (shared.length === 0 ? 0 : 1) + requests,
  }
}

/** The due lists, each in the contract's order. None if they are too long for the node: the index's order stands in for them. */
async function dueLists(chain: ChainView, lists: ReturnType<typeof sharedLists>) {
  try {
    return await chain.read.due(lists)
  } catch (error) {
    if (error instanceof ViewFailedError) return []
    throw error
  }
}

/** The due lists that two memberships of one payer in one token are on: their order decides who is short. */
function sharedLists(memberships: readonly ChargedMembership[]) {
  const seen = new Set<string>()
  const shared = new Map<string, Pick<ChargedMembership['terms'], 'frequency' | 'dueDay'>>()
  for (const { subscriber, terms } of memberships) {
    const { token, frequency, dueDay } = terms
    const key = `${subscriber}:${token}:${frequency}:${dueDay}`
    if (seen.has(key)) shared.set(`${frequency}:${dueDay}`, { frequency, dueDay })
    seen.add(key)
  }
  return [...shared.values()]
}

/** Each membership's charges by the protocol's rules, payer by payer; `undefined` where something cannot be read. */
function judge(
  chain: ChainView,
  memberships: readonly ChargedMembership[],
  { settings, rows }: PayersState,
  known: {
    readonly facts: ReadonlyMap<Address, TokenFacts>
    readonly dueOrder: readonly Hex[]
    readonly seen: SeenCharges
  },
): readonly (Judgement | undefined)[] {
  const { callerFee, nextUncheckedDay } = settings
  const ahead = {
    contract: chain.contractAddress,
    callerFee,
    nextUncheckedDay,
    throughDay: chain.today + VERDICT_DAYS,
  }
  const judgements: (Judgement | undefined)[] = memberships.map(() => undefined)
  for (const indexes of byPayer(memberships).values()) {
    const [first] = indexes
    const membership = first === undefined ? undefined : memberships[first]
    const means = first === undefined ? undefined : rows[first]
    if (membership === undefined || means === undefined) continue
    const token = known.facts.get(getAddress(membership.terms.token))
    if (token === undefined) continue
    const ofPayer = indexes.flatMap((index) => {
      const [terms, row] = [memberships[index]?.terms, rows[index]]
      return terms === undefined || row === undefined ? [] : [{ terms, feeBalance: row.feeBalance }]
    })
    const { allowance, balance } = means
    const judged = judgePayer(
      {
        account: membership.subscriber,
        memberships: ofPayer,
        dueOrder: known.dueOrder,
        token,
        means: { allowance, balance },
        chargesOn: (dayNumber) => known.seen.on(membership.subscriber, dayNumber),
      },
      ahead,
    )
    for (const index of indexes) {
      const id = memberships[index]?.terms.id
      judgements[index] = id === undefined ? undefined : judged.get(id)
    }
  }
  return judgements
}

/** The indexes of each payer's memberships, by wallet and token. */
function byPayer(memberships: readonly ChargedMembership[]): ReadonlyMap<string, readonly number[]> {
  const indexes = new Map<string, number[]>()
  for (const [index, { subscriber, terms }] of memberships.entries()) {
    const key = `${subscriber}:${terms.token}`.toLowerCase()
    const known = indexes.get(key)
    if (known === undefined) indexes.set(key, [index])
    else known.push(index)
  }
  return indexes
}

/**
 * Tries the transfers of each membership's first charge that pays.
 * @returns the indexes of the memberships of which a transfer is refused, and of those of which one stays untried
 */
async function tryFirstTransfers(chain: ChainView, judgements: readonly (Judgement | undefined)[]) {
  const planned = judgements.flatMap((judgement, membership) =>
    (judgement?.firstPaid?.transfers ?? []).map((transfer) => ({ membership, transfer })),
  )
  const refused = new Set<number>()
  const untried = new Set<number>()
  let requests = 0
  let rest: readonly { readonly membership: number; readonly transfer: TokenTransfer }[] = planned
  while (rest.length > 0 && requests < MOST_TRIALS) {
    requests += 1
    const transfers = rest.map(({ transfer }) => transfer)
    const trial = await chain.remit.transfers(NOBODY, { calls: 0, transfers })
    for (const { index } of trial.refusals) {
      const membership = rest[index]?.membership
      if (membership !== undefined) refused.add(membership)
    }
    // `tried` counts from the first one on, and a trial may stop early: the next one goes on from there. Where not even the first was
    // tried, it took more gas than any ordinary one: its outcome is unknown.
    const stuck = trial.tried === 0 ? rest[0] : undefined
    if (stuck !== undefined) untried.add(stuck.membership)
    rest = rest.slice(trial.tried + (stuck === undefined ? 0 : 1))
  }
  for (const { membership } of rest) untried.add(membership)
  return { refused, untried, requests }
}

/** The verdict of a judgement. Where the token refuses its transfer, the first charge that pays is blocked: its B ends the list. */
function toVerdict({ firstDay, charges, trouble, firstPaid }: Judgement, isRefused: boolean): Verdict {
  if (!isRefused || firstPaid === null) return { firstDay, charges, trouble }
  const { dayNumber, chargesBefore } = firstPaid
  const blocked = { kind: 'blocked', dayNumber, missingAllowance: 0n, missingBalance: 0n } as const
  return { firstDay, charges: `${charges.slice(0, chargesBefore)}B`, trouble: blocked }
}
