import type {
  CallOptions,
  Client,
  Outcome,
  Progress,
  SendingErrorCode,
  SendOptions,
  SendPreparedOptions,
  Sent,
  Wallet,
} from '@remit/client'
import { SendingError } from '@remit/client'
import type { Address } from 'viem'
import { pageData } from '../page/pageData.ts'
import type { openSigning } from '../wallet/openSigning.ts'
import type { ConnectedWallet } from '../wallet/wallet.ts'
import {
  type Asked,
  type FlowName,
  forgetPending,
  type PendingSend,
  type RequestOf,
  storePending,
} from './pendingSends.ts'

/** What a flow has prepared, for the review: the unsigned transactions with their warnings. */
export type PreparedOf<Name extends FlowName> = Awaited<ReturnType<ReturnType<Client[Name]>['prepare']>>
/** What a flow comes to once it is mined. */
export type OutcomeOf<Name extends FlowName> = Awaited<ReturnType<ReturnType<Client[Name]>['send']>>

/** The part of a client's flow that the site uses. */
interface SignableFlow<Name extends FlowName> {
  prepare(from: Address, options?: CallOptions): Promise<PreparedOf<Name>>
  send(wallet: Wallet, options?: SendPreparedOptions<PreparedOf<Name>>): Promise<OutcomeOf<Name>>
  follow(wallet: Wallet, sent: Sent, options?: SendOptions): Promise<OutcomeOf<Name> | undefined>
}

/** The client's flow for what is asked. */
export function flowOf<Name extends FlowName>(
  client: Client,
  { flow, request }: Asked<Name>,
): SignableFlow<Name> {
  // Safe: the request is of the flow with the same name. The types lose that pairing.
  const make = client[flow] as unknown as (request: RequestOf<Name>) => SignableFlow<Name>
  return make(request)
}

/** What is sent, and the words that it is kept with. */
interface Sending<Name extends FlowName> {
  readonly asked: Asked<Name>
  readonly title: string
  readonly done: string
  readonly prepared: PreparedOf<Name>
  onProgress(progress: Progress): void
  /** Told of what is kept now; `undefined` once nothing of it is open any more. */
  onPending(pending: PendingSend | undefined): void
}

type Signing = Awaited<ReturnType<typeof openSigning>>

/**
 * Has what was prepared signed and sent, and waits until it is mined. Meanwhile this browser keeps what has left the wallet.
 * Rejects with the client's error.
 */
export async function sendAndWatch<Name extends FlowName>(
  { asked, title, done, prepared, ...told }: Sending<Name>,
  { client, wallet }: Signing,
  { provider }: ConnectedWallet['wallet'],
): Promise<OutcomeOf<Name>> {
  let kept: PendingSend | undefined
  const keep = (pending: PendingSend | undefined) => {
    if (kept !== undefined) forgetPending(kept)
    if (pending !== undefined) storePending(pending)
    kept = pending
    told.onPending(pending)
  }
  const onProgress = (progress: Progress) => {
    if (progress.kind === 'sent') {
      const { chainId = 0, contract = null } = pageData.chain ?? {}
      const pending: PendingSend = { asked, title, done, chainId, contract, atMs: Date.now(), sent: progress }
      keep(pending)
      void withNonce(pending, provider).then((whole) => {
        if (kept === pending && whole !== undefined) keep(whole)
      })
    }
    // Of several transactions one is mined and the next is not signed yet: nothing is pending.
    if (progress.kind === 'mined' && progress.step < progress.of) keep(undefined)
    told.onProgress(progress)
  }
  const sending = flowOf(client, asked).send(wallet, { prepared, onProgress })
  return untilKnown(sending, () => keep(undefined))
}

/**
 * Waits for what was sent before, as this browser has kept it. `undefined` where that was one of several transactions, and
 * the rest was never sent. Rejects with the client's error.
 */
export async function watchPending(
  pending: PendingSend,
  { client, wallet }: Signing,
  onProgress: (progress: Progress) => void,
): Promise<Outcome | undefined> {
  const following = flowOf(client, pending.asked).follow(wallet, pending.sent, { onProgress })
  return untilKnown(following, () => forgetPending(pending))
}

/** Errors after which the outcome is certain: all of it was mined, or nothing of it can be mined any more. */
const ENDS: readonly SendingErrorCode[] = [
  'TRANSACTION_REVERTED',
  'TRANSACTION_REPLACED',
  'CALLS_FAILED',
  'MISSING_EVENT',
]

/** Calls `end` once the outcome is certain. After any other error it stays pending. */
async function untilKnown<Answer>(outcome: Promise<Answer>, end: () => void): Promise<Answer> {
  try {
    const answer = await outcome
    end()
    return answer
  } catch (error) {
    if (error instanceof SendingError && ENDS.includes(error.code)) end()
    throw error
  }
}

/** The same with its nonce, by which a replacement is noticed later; `undefined` if unknown, as of a wallet's bundle without hash. */
async function withNonce(
  pending: PendingSend,
  provider: ConnectedWallet['wallet']['provider'],
): Promise<PendingSend | undefined> {
  const { hash } = pending.sent
  if (hash === null) return undefined
  try {
    const found = await provider.request({ method: 'eth_getTransactionByHash', params: [hash] })
    const nonce = Number(found?.nonce)
    return Number.isSafeInteger(nonce) ? { ...pending, sent: { ...pending.sent, nonce } } : undefined
  } catch {
    return undefined
  }
}
