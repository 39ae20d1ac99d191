import type { Outcome, Progress, SentTransaction } from '@remit/client'
import type { Address } from 'viem'
import type { Step } from '../design/Steps.tsx'
import type { Asked, FlowName, PendingSend } from '../pending/pendingSends.ts'
import { stillPending } from '../pending/pendingSends.ts'
import {
  flowOf,
  type OutcomeOf,
  type PreparedOf,
  sendAndWatch,
  watchPending,
} from '../pending/sendAndWatch.ts'
import type { openSigning } from '../wallet/openSigning.ts'
import type { ConnectedWallet } from '../wallet/wallet.ts'
import { strangersText } from '../words/strangersText.ts'
import type { Sponsor } from './sponsor.ts'
import { failedSteps, firstSteps, followedSteps, stepsAfter, waitingWords } from './steps.ts'

/** Why it stopped, and what had been sent by then. */
export interface Stop<Trouble> {
  readonly trouble: Trouble
  readonly sent: readonly SentTransaction[]
}

/** The first stage. Preparing may have to wait for a limit, or for a block. */
export interface Preparing {
  readonly kind: 'preparing'
  /** What it waits for; empty where it does not. */
  readonly note: string
}

/** How far it has come: prepared, shown for review, sent, and then done or stopped. */
export type Stage<Name extends FlowName, Trouble> =
  | Preparing
  | { readonly kind: 'review'; readonly prepared: PreparedOf<Name>; readonly sponsor: Sponsor | undefined }
  | { readonly kind: 'sending'; readonly steps: readonly Step[] }
  | { readonly kind: 'done'; readonly outcome: OutcomeOf<Name> & Outcome; readonly address: Address }
  | (Stop<Trouble> & {
      readonly kind: 'stopped'
      readonly steps: readonly Step[]
      /** What was sent and may still be mined. Until it ends, nothing is prepared again. */
      readonly open?: PendingSend | undefined
    })

/** What is to be signed, in words and as a request, and who is told how far it is. */
interface SigningOf<Name extends FlowName, Trouble> {
  readonly title: string
  /** Its result in a sentence. */
  readonly done: string
  /** The flow and its request, as they are now: a page may let its reader change them. */
  asked(): Asked<Name>
  /** What each transaction of it does, in words. */
  acts(prepared: PreparedOf<Name>): readonly string[]
  /** Gives what signs: `openSigning`, or the same kept for a wallet. */
  open: typeof openSigning
  show(stage: Stage<Name, Trouble>): void
  /** Why preparing or sending has ended. */
  troubleOf(error: unknown): Stop<Trouble>
  /** Why the waiting ended, where what was sent may still go through. */
  openTrouble(error: unknown, pending: PendingSend): Stop<Trouble>
  /** Told of what may still be mined; `undefined` once nothing is. */
  onOpen?(pending: PendingSend | undefined): void
  /** Called when it is mined, before that is shown. */
  onDone(outcome: OutcomeOf<Name> & Outcome): void
  /** Called where what was followed is mined, and was only a part: the rest was never sent. */
  onPart(): void
}

/** How long preparing may take: the wallet's node may have to see an earlier transaction first. */
const PATIENCE_MS = 75_000

/**
 * The steps from a request to its outcome, for `startSigning.ts` and for the subscribe page's own flow: `prepare` gives the
 * answer to review, `send` has exactly that answer signed and sent, `follow` looks for what was sent before. Only the last
 * `prepare` counts: late answers to earlier ones are dropped.
 */
export function createSigning<Name extends FlowName, Trouble>(task: SigningOf<Name, Trouble>) {
  /** Counts what was begun. An earlier prepare may be answered after a later one has begun: that answer is dropped. */
  let turn = 0
  /** Ends the waiting of a prepare whose answer nobody wants any more. */
  let waiting: AbortController | undefined
  /** Who offers to pay for what was prepared last. */
  let sponsor: Sponsor | undefined

  function askedNow(): Asked<Name> {
    const asked = task.asked()
    if (sponsor === undefined) return asked
    return { ...asked, request: { ...asked.request, paymasterUrl: sponsor.url } }
  }

  function nextTurn(): number {
    waiting?.abort()
    waiting = undefined
    turn += 1
    return turn
  }

  async function prepare(now: ConnectedWallet): Promise<void> {
    const mine = nextTurn()
    waiting = new AbortController()
    const { signal } = waiting
    const show = (stage: Stage<Name, Trouble>) => {
      if (mine === turn) task.show(stage)
    }
    show({ kind: 'preparing', note: '' })
    try {
      const [{ client }, offered] = await Promise.all([task.open(now), sponsorFor(task.asked(), now)])
      if (mine !== turn) return
      sponsor = offered
      const prepared = await flowOf(client, askedNow()).prepare(now.address, {
        withinMs: PATIENCE_MS,
        signal,
        onWait: (wait) => show({ kind: 'preparing', note: waitingWords(wait) }),
      })
      show({ kind: 'review', prepared, sponsor })
    } catch (error) {
      show({ kind: 'stopped', ...task.troubleOf(error), steps: [], open: undefined })
    }
  }

  async function send(prepared: PreparedOf<Name>, now: ConnectedWallet): Promise<void> {
    nextTurn()
    const signing = { wallet: strangersText(now.wallet.name, 40), acts: task.acts(prepared) }
    let steps = firstSteps(signing)
    let open: PendingSend | undefined
    task.show({ kind: 'sending', steps })
    try {
      const sending = {
        asked: askedNow(),
        title: task.title,
        done: task.done,
        prepared,
        onPending: (pending: PendingSend | undefined) => {
          open = pending
          task.onOpen?.(pending)
        },
        onProgress: (progress: Progress) => {
          steps = stepsAfter(steps, progress, signing)
          task.show({ kind: 'sending', steps })
        },
      }
      finish(await sendAndWatch(sending, await task.open(now), now.wallet), now.address)
    } catch (error) {
      stop(error, steps, open)
    }
  }

  /** Looks for what was sent before, from this page or another. */
  async function follow(pending: PendingSend, now: ConnectedWallet): Promise<void> {
    nextTurn()
    let steps = followedSteps(pending)
    task.show({ kind: 'sending', steps })
    task.onOpen?.(pending)
    try {
      const outcome = await watchPending(pending, await task.open(now), (progress) => {
        steps = followedSteps(pending, progress)
        task.show({ kind: 'sending', steps })
      })
      // Safe: `pending` is of this very request, so its flow has the same name.
      if (outcome !== undefined) return finish(outcome as OutcomeOf<Name> & Outcome, pending.sent.from)
      task.onOpen?.(undefined)
      task.onPart()
    } catch (error) {
      stop(error, steps, stillPending(pending))
    }
  }

  function finish(outcome: OutcomeOf<Name> & Outcome, address: Address): void {
    task.onDone(outcome)
    task.show({ kind: 'done', outcome, address })
  }

  /** Shows why it stopped. What may still be mined has not failed: its steps stay as they are. */
  function stop(error: unknown, steps: readonly Step[], open: PendingSend | undefined): void {
    task.onOpen?.(open)
    const { trouble, sent } = open === undefined ? task.troubleOf(error) : task.openTrouble(error, open)
    const shown = open === undefined ? failedSteps(steps) : steps
    task.show({ kind: 'stopped', trouble, steps: sent.length > 0 ? shown : [], sent, open })
  }

  return {
    prepare,
    send,
    follow,
    /** The answer that is being prepared will be dropped. */
    leave(): void {
      nextTurn()
    },
  }
}

/** Who offers to pay the network's fee, if anybody. Few links name one, so the code is loaded when something is prepared. */
async function sponsorFor(asked: Asked, now: ConnectedWallet): Promise<Sponsor | undefined> {
  const { sponsorOf } = await import('./sponsor.ts')
  return sponsorOf(asked, now)
}
