// Keeps in this browser (localStorage) what has left the wallet, until it is known what came of it: so that after a reload,
// on another page or in another tab, nobody signs the same a second time.
import { signal } from '@preact/signals'
import type { Client, Flows, Sent } from '@remit/client'
import { pageData } from '../page/pageData.ts'
import { recall, remember } from '../page/stored.ts'
import type { ConnectedWallet } from '../wallet/wallet.ts'

/** The client's flows, each of which prepares and sends one action; `assertWithinBudget` is none. */
export type FlowName = Exclude<keyof Flows, 'assertWithinBudget'>
export type RequestOf<Name extends FlowName> = Parameters<Client[Name]>[0]
/** A flow by its name, and its request: plain JSON, so that it can be kept. */
export interface Asked<Name extends FlowName = FlowName> {
  readonly flow: Name
  readonly request: RequestOf<Name>
}

/** Something that has left the wallet and whose outcome this browser has not seen. */
export interface PendingSend {
  readonly asked: Asked
  /** What it is, for people: "Leave this plan". */
  readonly title: string
  /** Its result in a sentence, for once it is mined. */
  readonly done: string
  readonly chainId: number
  readonly contract: string | null
  /** When it was sent, in milliseconds since 1970. */
  readonly atMs: number
  readonly sent: Sent
}

const KEY = 'remit.sent'
/** The longest wait: a transaction that is not mined by then was dropped, or its chain is gone. */
const LONGEST_MS = 7 * 86_400_000

/** All of them, to check what is read from the browser's store. */
const FLOWS: readonly unknown[] = [
  'subscribe',
  'unsubscribe',
  'extendCoverage',
  'revokeAllowance',
  'carryPermit',
  'carryPermits',
  'topUp',
  'carryTopUp',
  'createSubscription',
  'cancelSubscription',
  'removeSubscriber',
  'editDetails',
  'editProviderDetails',
  'remit',
] satisfies readonly FlowName[]

/** What is kept. Where the browser stores nothing, it lasts as long as this page. */
const all = signal<readonly PendingSend[]>(stored() ?? [])

// Another tab has sent something, or has seen what came of it.
window.addEventListener('storage', ({ key }: StorageEvent) => {
  if (key === KEY || key === null) all.value = stored() ?? []
})

/** What this wallet's account has sent on the page's chain, the oldest first. Reading it in an effect follows it. */
export function pendingOf(wallet: Pick<ConnectedWallet, 'address'> | undefined): readonly PendingSend[] {
  return all.value.filter(
    (one) => isOfThisChain(one) && one.sent.from.toLowerCase() === wallet?.address.toLowerCase(),
  )
}

/** Whether both ask for the same, whoever pays the network's fee. */
export function isSameAsked(one: Asked, other: Asked): boolean {
  const written = ({ request }: Asked) =>
    JSON.stringify(request, (name, value: unknown) => (name === 'paymasterUrl' ? undefined : value))
  return one.flow === other.flow && written(one) === written(other)
}

/** Keeps it. It replaces what is kept of the same transaction, or of the same bundle of a wallet's. */
export function storePending(pending: PendingSend): void {
  write([...others(pending), pending])
}

export function forgetPending(pending: PendingSend): void {
  write(others(pending))
}

/** The same send as it is kept by now; `undefined` once its outcome is known, in another tab say. */
export function stillPending(pending: PendingSend): PendingSend | undefined {
  return all.peek().find((one) => idOf(one) === idOf(pending))
}

function others(pending: PendingSend): readonly PendingSend[] {
  return (stored() ?? all.peek()).filter((one) => idOf(one) !== idOf(pending))
}

function write(next: readonly PendingSend[]): void {
  remember(KEY, JSON.stringify(next))
  all.value = next
}

function idOf({ sent: { hash, callsId } }: PendingSend): string {
  return hash ?? String(callsId)
}

function isOfThisChain({ chainId, contract, sent }: PendingSend): boolean {
  const { chain } = pageData
  if (chain?.chainId !== chainId || chain.contract !== contract) return false
  // A development chain that was started anew has fewer blocks than there were: what was sent is gone with the old ones.
  const isGone = chain.devRpcUrl !== null && chain.block !== null && chain.block.blockNumber < sent.sentAfter
  return !isGone
}

/** `undefined` where the browser has stored nothing, or cannot. Entries of another form are ignored. */
function stored(): readonly PendingSend[] | undefined {
  const text = recall(KEY)
  if (text === undefined) return undefined
  try {
    const rows: unknown = JSON.parse(text)
    return Array.isArray(rows) ? rows.filter(isPendingSend) : []
  } catch {
    return []
  }
}

type Unread<Key extends string> = { readonly [Name in Key]?: unknown }

/** Checks its form: another version of this site may have written it. Whether the request is valid the client checks. */
function isPendingSend(row: unknown): row is PendingSend {
  const { asked, title, done, atMs, sent }: Unread<keyof PendingSend> = Object(row)
  const { flow, request }: Unread<keyof Asked> = Object(asked)
  const { hash, callsId, from, functions, calls, sentAfter, step, of }: Unread<keyof Sent> = Object(sent)
  return (
    FLOWS.includes(flow) &&
    typeof request === 'object' &&
    typeof title === 'string' &&
    typeof done === 'string' &&
    typeof atMs === 'number' &&
    Date.now() - atMs < LONGEST_MS &&
    (typeof hash === 'string' || typeof callsId === 'string') &&
    typeof from === 'string' &&
    Array.isArray(functions) &&
    Array.isArray(calls) &&
    [sentAfter, step, of].every((value) => typeof value === 'number')
  )
}
