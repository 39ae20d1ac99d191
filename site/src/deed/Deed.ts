import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import type {
  CallOptions,
  Client,
  Outcome,
  SendPreparedOptions,
  SentTransaction,
  Wallet,
  Warning,
} from '@remit/client'
import type { ComponentChildren } from 'preact'
import type { Address } from 'viem'
import type { Step } from '../design/Steps.tsx'
import { readAhead } from '../page/live.ts'
import { pageData } from '../page/pageData.ts'
import { openSigning } from '../wallet/openSigning.ts'
import { type ConnectedWallet, connected } from '../wallet/wallet.ts'
import { strangersText } from '../words/strangersText.ts'
import { failedSteps, firstSteps, stepsAfter, waitingWords } from './steps.ts'
import { type Trouble, troubleOf } from './trouble.ts'

/** What every prepared answer has for the review. */
export interface PreparedAnswer {
  readonly warnings: readonly Warning[]
  readonly unsignedTransactions?: readonly unknown[] | undefined
  readonly gasSummary?: { readonly totalEstimatedCostEth: string } | undefined
  readonly validUntil?: number | undefined
}

/** Something that a person can have signed, from the review to the receipt. */
export interface DeedWords<Prepared extends PreparedAnswer, Result> {
  /** What it is: "Leave this plan". */
  readonly title: string
  /** What its button says: "Leave". */
  readonly verb: string
  /** What cannot be undone, or takes something away. */
  readonly isGrave?: boolean
  /** What the last transaction does, in words. Others before it take a permission back first. */
  readonly act: string
  flow(client: Client): SignableFlow<Prepared, Result>
  /** What would be signed and what it does, by the answer that was prepared. */
  review(prepared: Prepared): ComponentChildren
  /** What came of it. */
  receipt(outcome: Outcome & Result): ComponentChildren
  /** Called when it is mined. */
  onDone?(outcome: Outcome & Result): void
}

/** The part of the client's flow that is used here. */
interface SignableFlow<Prepared, Result> {
  prepare(from: Address, options?: CallOptions): Promise<Prepared>
  send(wallet: Wallet, options?: SendPreparedOptions<Prepared>): Promise<Outcome & Result>
}

/** How far it has come. */
export type Phase =
  | { readonly kind: 'preparing'; readonly note: string }
  | { readonly kind: 'review'; readonly prepared: PreparedAnswer; view(): ComponentChildren; send(): void }
  | { readonly kind: 'sending'; readonly steps: readonly Step[] }
  | { readonly kind: 'done'; readonly outcome: Outcome; view(): ComponentChildren }
  | {
      readonly kind: 'stopped'
      readonly trouble: Trouble
      readonly steps: readonly Step[]
      readonly sent: readonly SentTransaction[]
    }

/** A deed under way. */
export interface Deed {
  readonly title: string
  readonly verb: string
  readonly isGrave: boolean
  readonly phase: ReadonlySignal<Phase>
  /** For whom it is prepared, or who has signed it. */
  readonly account: ReadonlySignal<Address | undefined>
  /** Prepares it anew, and shows that. */
  lookAgain(): void
  /** Called when it is put away: it follows the wallet no more, and the page then shows what it has changed. */
  putAway(): void
}

/** The wallet that can sign now: none while it is on another chain than the page. */
const signer = computed(() =>
  connected.value?.chainId === pageData.chain?.chainId ? connected.value : undefined,
)

/** A minute's limit, and the time of the answer itself. */
const PATIENCE_MS = 75_000

/**
 * Prepares once for the account that would sign, shows that answer, and has that very answer signed and sent. Until then
 * it follows the wallet: for another account it is prepared anew.
 */
export function createDeed<Prepared extends PreparedAnswer, Result>(
  words: DeedWords<Prepared, Result>,
): Deed {
  const phase = signal<Phase>({ kind: 'preparing', note: '' })
  const account = signal<Address | undefined>(undefined)
  let showChanges: (() => void) | undefined
  let turn = 0
  /** From then on it is the signer's, whatever the wallet shows. */
  let isSigned = false
  const stopFollowing = effect(() => follow(signer.value))

  function follow(now: ConnectedWallet | undefined): void {
    if (isSigned || now === undefined || now.address === account.peek()) return
    account.value = now.address
    void prepare(now)
  }

  async function prepare(now: ConnectedWallet): Promise<void> {
    turn += 1
    const mine = turn
    phase.value = { kind: 'preparing', note: '' }
    try {
      const { client } = await openSigning(now)
      const prepared = await words.flow(client).prepare(now.address, {
        withinMs: PATIENCE_MS,
        onWait: (wait) => {
          if (mine === turn) phase.value = { kind: 'preparing', note: waitingWords(wait) }
        },
      })
      if (mine !== turn) return
      phase.value = {
        kind: 'review',
        prepared,
        view: () => words.review(prepared),
        send: () => {
          if (mine === turn) void send(prepared)
        },
      }
    } catch (error) {
      if (mine === turn) stop(error, [])
    }
  }

  async function send(prepared: Prepared): Promise<void> {
    const now = signer.peek()
    if (now === undefined) return
    turn += 1
    isSigned = true
    const signing = {
      wallet: strangersText(now.wallet.name, 40),
      acts: actsOf(prepared.unsignedTransactions?.length ?? 1, words.act),
    }
    let steps = firstSteps(signing)
    phase.value = { kind: 'sending', steps }
    try {
      const { client, wallet } = await openSigning(now)
      const outcome = await words.flow(client).send(wallet, {
        prepared,
        onProgress: (progress) => {
          steps = stepsAfter(steps, progress, signing)
          phase.value = { kind: 'sending', steps }
        },
      })
      showChanges = readAhead(outcome.transactions.at(-1)?.blockNumber ?? 0)
      words.onDone?.(outcome)
      phase.value = { kind: 'done', outcome, view: () => words.receipt(outcome) }
    } catch (error) {
      stop(error, failedSteps(steps))
    }
  }

  function stop(error: unknown, steps: readonly Step[]): void {
    const { trouble, sent } = troubleOf(error)
    phase.value = { kind: 'stopped', trouble, steps: sent.length > 0 ? steps : [], sent }
  }

  return {
    title: words.title,
    verb: words.verb,
    isGrave: words.isGrave ?? false,
    phase,
    account,
    lookAgain() {
      isSigned = false
      account.value = undefined
      phase.value = { kind: 'preparing', note: '' }
      follow(signer.peek())
    },
    putAway() {
      stopFollowing()
      turn += 1
      showChanges?.()
      showChanges = undefined
    },
  }
}

function actsOf(count: number, act: string): string[] {
  return [...Array.from({ length: count - 1 }, () => 'Take the old permission back'), act]
}
