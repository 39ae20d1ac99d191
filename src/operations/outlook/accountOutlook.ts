import { isDeepStrictEqual } from 'node:util'
import type { Address } from 'viem'
import type { AskIndex } from '../../core/operation.ts'
import type {
  AccountMembership,
  AccountState,
  ChainReads,
  ProtocolSettings,
} from '../../core/ports/chainReads.ts'
import type { ChainView } from '../../core/ports/chains.ts'
import type { Blocker } from '../../core/ports/forecasts.ts'
import { isCharged } from '../../presentation/accountRow.ts'
import { inRemitOrder } from '../../protocol/coverage/ChargeSchedule.ts'
import { outlookOf, type PayerOutlook, type PayerOutlookInput } from '../../protocol/outlook/outlook.ts'
import { withSweep } from './behindSeen.ts'
import { type RemitSeen, remitAhead } from './remitAhead.ts'

export type PayerState = Pick<AccountState, 'subscribedTo' | 'wallet' | 'dueOrder'>

/** A wallet's charges up to a day, and how far the forecast has seen. */
export interface AccountOutlook extends PayerOutlook<Blocker> {
  readonly remit: RemitSeen
  /** Its memberships that remit charges. */
  readonly charged: readonly AccountMembership[]
  readonly state: PayerState
  readonly settings: ProtocolSettings
}

/**
 * Every charge of a wallet up to a day: what remit was seen to do, and behind it the protocol's rules and what the sweep
 * knows to stop remit.
 */
export async function accountOutlook(
  chain: ChainView,
  account: Address,
  options: { readState: (read: ChainReads) => Promise<PayerState>; throughDay: number; askIndex: AskIndex },
): Promise<AccountOutlook> {
  const { readState, throughDay, askIndex } = options
  // All at once, so that they share HTTP requests.
  const [state, settings, foreseen] = await Promise.all([
    readState(chain.read),
    chain.read.protocol(),
    remitAhead(chain, account, throughDay),
  ])
  const { nextUncheckedDay } = settings
  const isSame = await isAsForeseen(chain, state, { madeAt: foreseen.madeAt, readState })
  const simulated = isSame ? foreseen : ofAnotherWallet(foreseen)
  const remit = await withSweep(simulated, { nextUncheckedDay, throughDay }, askIndex)
  const charged = state.subscribedTo.filter(isCharged)
  const input = toInput(charged, { state, settings, throughDay })
  return { ...outlookOf({ ...input, remit }), remit, charged, state, settings }
}

/**
 * Whether the wallet is as it was when the forecast was made. Where it has joined, left, paid or been paid since, what was
 * foreseen of its charges is of another wallet.
 */
async function isAsForeseen(
  chain: ChainView,
  state: PayerState,
  options: { madeAt: RemitSeen['madeAt']; readState: (read: ChainReads) => Promise<PayerState> },
): Promise<boolean> {
  const { madeAt, readState } = options
  if (madeAt.hash === chain.asOf.blockHash) return true
  const earlier = await readState(chain.readAt(madeAt))
  return isDeepStrictEqual(meansOf(earlier), meansOf(state))
}

/** What decides on the charges of a wallet. */
function meansOf({ subscribedTo, wallet }: PayerState) {
  const charged = subscribedTo.filter(isCharged)
  return {
    charged: charged.map(({ terms, feeBalance, token }) => [terms.id, feeBalance, token.paused]),
    wallet,
  }
}

function toInput(
  charged: readonly AccountMembership[],
  { state, settings, throughDay }: { state: PayerState; settings: ProtocolSettings; throughDay: number },
): PayerOutlookInput<Blocker> {
  const rows = charged.map(({ terms, feeBalance }) => ({ ...terms, feeBalance }))
  const tokens = new Map(charged.map(({ token }) => [token.address, token]))
  return {
    subscriptions: inRemitOrder(rows, state.dueOrder),
    tokens: state.wallet.flatMap(({ token, allowance, balance }) => {
      const facts = tokens.get(token)
      if (facts === undefined) return []
      const { decimals, paused } = facts
      return [{ token, decimals, paused, means: { allowance, balance } }]
    }),
    callerFee: settings.callerFee,
    nextUncheckedDay: settings.nextUncheckedDay,
    throughDay,
  }
}

/** What was foreseen, without what is foreseen of the wallet's own charges. What stops remit stops it all the same. */
function ofAnotherWallet({ mayBreak: _, ...foreseen }: RemitSeen): RemitSeen {
  return { ...foreseen, chargesOn: () => undefined, through: undefined }
}
