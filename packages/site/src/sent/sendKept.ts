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
import { type Asked, type FlowName, forget, type Kept, keep, type RequestOf } from './kept.ts'

export type PreparedOf<Name extends FlowName> = Awaited<ReturnType<ReturnType<Client[Name]>['prepare']>>
/** Its result, with what every result has. */
export type OutcomeOf<Name extends FlowName> = Awaited<ReturnType<ReturnType<Client[Name]>['send']>>

/** The part of a client's flow that the site uses. */
interface SignableFlow<Name extends FlowName> {
  prepare(from: Address, options?: CallOptions): Promise<PreparedOf<Name>>
  send(wallet: Wallet, options?: SendPreparedOptions<PreparedOf<Name>>): Promise<OutcomeOf<Name>>
  follow(wallet: Wallet, sent: Sent, options?: SendOptions): Promise<OutcomeOf<Name> | undefined>
}

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
  onKept(kept: Kept | undefined): void
}

type Signing = Awaited<ReturnType<typeof openSigning>>

/** Sends, and keeps in this browser what has left the wallet until it is known what came of it. */
export async function sendKept<Name extends FlowName>(
  { asked, title, done, prepared, ...told }: Sending<Name>,
  { client, wallet }: Signing,
  { provider }: ConnectedWallet['wallet'],
): Promise<OutcomeOf<Name>> {
  let open: Kept | undefined
  const replace = (kept: Kept | undefined) => {
    if (open !== undefined) forget(open)
    if (kept !== undefined) keep(kept)
    open = kept
    told.onKept(kept)
  }
  const onProgress = (progress: Progress) => {
    if (progress.kind === 'sent') {
      const { chainId = 0, contract = null } = pageData.chain ?? {}
      const kept: Kept = { asked, title, done, chainId, contract, atMs: Date.now(), sent: progress }
      replace(kept)
      void withNonce(kept, provider).then((whole) => {
        if (open === kept && whole !== undefined) replace(whole)
      })
    }
    if (progress.kind === 'mined' && progress.step < progress.of) replace(undefined)
    told.onProgress(progress)
  }
  const sending = flowOf(client, asked).send(wallet, { prepared, onProgress })
  return untilKnown(sending, () => replace(undefined))
}

/** Waits for what was kept. `undefined` where it was a part only, and the rest was not sent. */
export async function followKept(
  kept: Kept,
  { client, wallet }: Signing,
  onProgress: (progress: Progress) => void,
): Promise<Outcome | undefined> {
  const following = flowOf(client, kept.asked).follow(wallet, kept.sent, { onProgress })
  return untilKnown(following, () => forget(kept))
}

/** Certain outcomes: nothing of it can be mined any more, or all of it was. */
const ENDS: readonly SendingErrorCode[] = [
  'TRANSACTION_REVERTED',
  'TRANSACTION_REPLACED',
  'CALLS_FAILED',
  'MISSING_EVENT',
]

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

/** By its nonce it is seen later that another transaction took its place. `undefined` where the node does not tell. */
async function withNonce(
  kept: Kept,
  provider: ConnectedWallet['wallet']['provider'],
): Promise<Kept | undefined> {
  const { hash } = kept.sent
  if (hash === null) return undefined
  try {
    const found = await provider.request({ method: 'eth_getTransactionByHash', params: [hash] })
    const nonce = Number(found?.nonce)
    return Number.isSafeInteger(nonce) ? { ...kept, sent: { ...kept.sent, nonce } } : undefined
  } catch {
    return undefined
  }
}
