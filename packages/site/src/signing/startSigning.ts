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

/** What every prepared answer has for the review. */
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
  /** What cannot be undone, or takes something away. */
  readonly isGrave?: boolean
  /** What the last transaction does, in words. Others before it take a permission back first. */
  readonly act: string
  /** What every other one does, where it is not taking a permission back. */
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
  /** Called when it is mined. */
  onDone?(): void
}

/** Something that was sent before this page was loaded: what becomes of it is shown, and it is never prepared anew. */
export type SentWords<Name extends FlowName> = Omit<SigningRequest<Name>, 'review' | 'signAlone'>

/** How far it has come. */
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

/** A run under way. */
export interface SigningRun {
  readonly title: string
  /** The title once it is done. */
  readonly done: string
  readonly verb: string
  readonly isGrave: boolean
  /** Whether it can be prepared anew here. */
  readonly canBegin: boolean
  readonly phase: ReadonlySignal<Phase>
  /** For whom it is prepared, or who has signed it. */
  readonly account: ReadonlySignal<Address | undefined>
  /** Prepares the action again and shows the result. If a transaction of it is still pending, waits for that one. */
  lookAgain(): void
  /** Ends the waiting, for a person who knows the outcome. */
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
  /** From then on it is the signer's, whatever the wallet shows. */
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
      showChanges = readAhead(outcome.transactions.at(-1)?.blockNumber ?? 0)
      // Perhaps no dialog is open that would close it.
      if (review === undefined) showChanges()
      words.onDone?.()
    },
    onPart() {
      phase.value = { kind: 'stopped', trouble: PART_TROUBLE, steps: [], sent: [] }
    },
  })
  const stopFollowing = effect(() => {
    const now = signer.value
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
    // The pressed button may be gone by now.
    if (now === undefined || value.kind !== 'review' || value.prepared !== prepared) return
    isSigned = true
    void signing.send(prepared, now)
  }

  function follow(pending: PendingSend, now: ConnectedWallet): void {
    isSigned = true
    account.value = pending.sent.from
    void signing.follow(pending, now)
  }

  function begin(): void {
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
    lookAgain: begin,
    stopWaiting() {
      const { value } = phase
      if (value.kind !== 'stopped' || value.open === undefined) return
      forgetPending(value.open)
      phase.value = { ...value, open: undefined }
      begin()
    },
    putAway() {
      stopFollowing()
      signing.leave()
      showChanges?.()
      showChanges = undefined
    },
  }
}

function actsOf(
  count: number,
  { act, actBefore = 'Take the old permission back' }: { readonly act: string; readonly actBefore?: string },
): string[] {
  return [...Array.from({ length: count - 1 }, () => actBefore), act]
}
