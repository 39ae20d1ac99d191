import { computed, effect, type ReadonlySignal, signal } from '@preact/signals'
import type { Outcome, SentTransaction, Warning } from '@remit/client'
import type { ComponentChildren } from 'preact'
import type { Address } from 'viem'
import type { Step } from '../design/Steps.tsx'
import { readAhead } from '../page/live.ts'
import { pageData } from '../page/pageData.ts'
import {
  type Asked,
  type FlowName,
  forgetPending,
  isSameAsked,
  type PendingSend,
  pendingOf,
} from '../pending/pendingSends.ts'
import type { OutcomeOf, PreparedOf } from '../pending/sendAndWatch.ts'
import { openSigning } from '../wallet/openSigning.ts'
import { type ConnectedWallet, connected } from '../wallet/wallet.ts'
import { createSigning, type Preparing, type Stage } from './createSigning.ts'
import type { Sponsor } from './sponsor.ts'
import { openTrouble, PART_TROUBLE, type Trouble, troubleOf } from './trouble.ts'

/** What the end of a review reads of an answer, whatever was prepared. `validUntil` is in unix seconds. */
export interface PreparedAnswer {
  readonly warnings: readonly Warning[]
  readonly unsignedTransactions?: readonly { readonly data: string }[] | undefined
  readonly gasSummary?: { readonly totalEstimatedCostEth: string } | undefined
  readonly validUntil?: number | undefined
}

/** Something that a person can do with a signature, from the review to the receipt. */
export interface SigningRequest<Name extends FlowName> {
  /** What it is: "Leave this plan". */
  readonly title: string
  /** What its button says: "Leave". */
  readonly verb: string
  /** Whether it cannot be undone, or takes something away: its button is red. */
  readonly isGrave?: boolean
  /** What the last transaction does, in words. */
  readonly act: string
  /** What each transaction before it does; by default it takes the old permission back. */
  readonly actBefore?: string
  /** Its result in a sentence, which is all that a reloaded page shows of it. */
  readonly done: string
  /** The flow of the client, and what it is asked for. */
  readonly asked: Asked<Name>
  /** What would be signed and what it does, by the answer that was prepared. */
  review(prepared: PreparedOf<Name>): ComponentChildren
  /** Its result. */
  receipt(outcome: OutcomeOf<Name>): ComponentChildren
  /** Has it signed alone, for somebody else to hand in; `undefined` where that cannot be. */
  signAlone?(prepared: PreparedOf<Name>): (() => void) | undefined
  /** Called when it is mined, with the number of its block. */
  onDone?(block: number): void
}

/** Something that was sent before this page was loaded: what becomes of it is shown, and it is never prepared anew. */
export type SentWords<Name extends FlowName> = Omit<SigningRequest<Name>, 'review' | 'signAlone'>

/** A `Stage` (`createSigning.ts`) for the dialog: with what it shows, and what its buttons do. */
export type Phase =
  | Preparing
  | {
      readonly kind: 'review'
      readonly prepared: PreparedAnswer
      readonly sponsor: Sponsor | undefined
      view(): ComponentChildren
      send(): void
      /** Has it signed alone, for somebody else to hand in. */
      readonly signAlone: (() => void) | undefined
    }
  | { readonly kind: 'sending'; readonly steps: readonly Step[] }
  | { readonly kind: 'done'; readonly outcome: Outcome; view(): ComponentChildren }
  | {
      readonly kind: 'stopped'
      readonly trouble: Trouble
      readonly steps: readonly Step[]
      readonly sent: readonly SentTransaction[]
      /** What was sent and may still be mined. Until it ends, nothing is prepared again. */
      readonly open?: PendingSend | undefined
    }

/** One request on its way from the review to the receipt, as the dialog shows it. */
export interface SigningRun {
  readonly title: string
  /** The title once it is done. */
  readonly done: string
  readonly verb: string
  readonly isGrave: boolean
  /** Whether it can be prepared anew here. What was sent from another page can only be waited for. */
  readonly canBegin: boolean
  readonly phase: ReadonlySignal<Phase>
  /** For whom it is prepared, or who has signed it. */
  readonly account: ReadonlySignal<Address | undefined>
  /** Waits again for what may still be mined; where nothing may, prepares anew. */
  lookAgain(): void
  /** Ends the waiting, for a person who knows the outcome, and prepares anew. */
  stopWaiting(): void
  /** Called when it is closed: it stops following the wallet, and the page shows what has changed. */
  putAway(): void
}

/** The wallet that can sign now: none while it is on another chain than the page. */
export const signer = computed(() =>
  connected.value?.chainId === pageData.chain?.chainId ? connected.value : undefined,
)

/**
 * Prepares once for the account that would sign, shows that answer, and has that very answer signed and sent. Until then
 * it follows the wallet: for another account it is prepared anew. What the same account has sent already, from another
 * page or tab say, is waited for and never prepared a second time.
 */
export function startSigning<Name extends FlowName>(
  words: SigningRequest<Name> | SentWords<Name>,
): SigningRun {
  const { review, signAlone } = 'review' in words ? words : { review: undefined, signAlone: undefined }
  const phase = signal<Phase>({ kind: 'preparing', note: '' })
  const account = signal<Address | undefined>(undefined)
  let showChanges: (() => void) | undefined
  /** Whether it was given to the wallet to sign, or is waited for. Then another account of the wallet no longer begins it anew. */
  let isSigned = false
  const signing = createSigning<Name, Trouble>({
    title: words.title,
    done: words.done,
    asked: () => words.asked,
    acts: ({ unsignedTransactions }: PreparedAnswer) => actsOf(unsignedTransactions?.length ?? 1, words),
    open: openSigning,
    show(stage) {
      phase.value = phaseOf(stage)
    },
    troubleOf,
    openTrouble,
    onDone(outcome) {
      const block = outcome.transactions.at(-1)?.blockNumber ?? 0
      showChanges = readAhead(block)
      // `putAway` shows the changes when the dialog is closed. What was sent from another page is followed without an open dialog.
      if (review === undefined) showChanges()
      words.onDone?.(block)
    },
    // What was sent from another page is mined, and was one of several transactions: the rest was never sent.
    onPart() {
      phase.value = { kind: 'stopped', trouble: PART_TROUBLE, steps: [], sent: [] }
    },
  })
  const stopFollowing = effect(() => {
    const now = signer.value
    // Before the return below, so that the effect follows it.
    const sent = pendingOf(now).find(({ asked }) => isSameAsked(asked, words.asked))
    if (now === undefined || isSigned) return
    if (sent !== undefined) follow(sent, now)
    else if (review !== undefined && now.address !== account.peek()) {
      account.value = now.address
      void signing.prepare(now)
    }
  })

  function phaseOf(stage: Stage<Name, Trouble>): Phase {
    if (stage.kind === 'done') return { ...stage, view: () => words.receipt(stage.outcome) }
    if (stage.kind !== 'review') return stage
    const { prepared, sponsor } = stage
    return {
      kind: 'review',
      prepared,
      sponsor,
      view: () => review?.(prepared),
      send: () => send(prepared),
      signAlone: signAlone?.(prepared),
    }
  }

  function send(prepared: PreparedOf<Name>): void {
    const now = signer.peek()
    const { value } = phase
    // Between the drawing of the button and the click the wallet may have changed, or the answer.
    if (now === undefined || value.kind !== 'review' || value.prepared !== prepared) return
    isSigned = true
    void signing.send(prepared, now)
  }

  function follow(pending: PendingSend, now: ConnectedWallet): void {
    isSigned = true
    account.value = pending.sent.from
    void signing.follow(pending, now)
  }

  function lookAgain(): void {
    const now = signer.peek()
    const { value } = phase
    const open = value.kind === 'stopped' ? value.open : undefined
    if (open !== undefined) {
      if (now !== undefined) follow(open, now)
      return
    }
    if (review === undefined) return
    isSigned = false
    account.value = undefined
    phase.value = { kind: 'preparing', note: '' }
    if (now === undefined) return
    account.value = now.address
    void signing.prepare(now)
  }

  return {
    title: words.title,
    done: words.done,
    verb: words.verb,
    isGrave: words.isGrave ?? false,
    canBegin: review !== undefined,
    phase,
    account,
    lookAgain,
    stopWaiting() {
      const { value } = phase
      if (value.kind !== 'stopped' || value.open === undefined) return
      forgetPending(value.open)
      phase.value = { ...value, open: undefined }
      lookAgain()
    },
    putAway() {
      stopFollowing()
      signing.leave()
      showChanges?.()
      showChanges = undefined
    },
  }
}

/** The words of each transaction, in order. */
function actsOf(
  count: number,
  { act, actBefore = 'Take the old permission back' }: { readonly act: string; readonly actBefore?: string },
): string[] {
  return [...Array.from({ length: count - 1 }, () => actBefore), act]
}
