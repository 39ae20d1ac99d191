import { batch, effect, type Signal, signal } from '@preact/signals'
import type {
  CheckSubscribeReadinessByIdAnswer,
  PrepareSubscribeByIdAnswer,
  Subscription,
  Wait,
} from '@remit/client'
import { dayNumberAt } from '@remit/protocol/calendar'
import { tellPending, tellSubscribed } from '../../../button/opener.ts'
import { api } from '../../../page/api.ts'
import { answersAt } from '../../../page/live.ts'
import type { PageAnswers } from '../../../page/pageContents.ts'
import { pageData } from '../../../page/pageData.ts'
import type { Known } from '../../../page/Resource.ts'
import { type Asked, forgetPending, type PendingSend, pendingOf } from '../../../pending/pendingSends.ts'
import type { OutcomeOf } from '../../../pending/sendAndWatch.ts'
import { createSigning, type Stage } from '../../../signing/createSigning.ts'
import { openSigning } from '../../../wallet/openSigning.ts'
import { type ConnectedWallet, connected } from '../../../wallet/wallet.ts'
import { shortMoneyWords } from '../../../words/money.ts'
import { strangersText } from '../../../words/strangersText.ts'
import { comingCharges } from '../terms/charges.ts'
import { isHelped, worsened } from '../terms/worsened.ts'
import { errorTrouble, stillOpenTrouble, type Trouble } from './trouble.ts'

/** The visitor's choices about the permission. */
interface Wish {
  readonly periods: number
  /** Whether the wallet's other subscriptions are to last as long as before; `undefined` until the visitor has chosen. */
  readonly keepCoverage: boolean | undefined
}

export type Done = OutcomeOf<'subscribe'>

/** How far it has come: the terms are in sight, or something is prepared, sent, done or stopped. */
export type Phase = { readonly kind: 'terms' } | Stage<'subscribe', Trouble>

/**
 * The state of the subscribe page, from the terms to the receipt; its parts show it and call its methods. While a wallet is
 * connected and nothing is signed, `look` asks for the readiness: whether this wallet can subscribe now, what that takes, and how long
 * it lasts. `review` prepares once, and `send` sends that very answer.
 * What the account has sent already, before the page was loaded or in another tab, is looked for and never offered again.
 */
export class SubscribeFlow {
  /** The terms never change; which days are due does. */
  readonly plan: Signal<Subscription>
  /** The day of the chain's clock; `undefined` where the chain could not be read. */
  readonly today = signal(pageData.chain?.today ?? undefined)
  readonly phase = signal<Phase>({ kind: 'terms' })
  readonly wish = signal<Wish>({ periods: 12, keepCoverage: undefined })
  /** When a limit ends that the readiness waits for, in milliseconds since 1970. */
  readonly limitedUntilMs = signal<number | undefined>(undefined)
  readonly readiness = signal<Known<CheckSubscribeReadinessByIdAnswer>>({ state: 'loading' })
  /** How many payments the shown readiness is for: the answer to a newer wish may be on its way. */
  readonly answeredPeriods = signal(this.wish.peek().periods)
  /** Whether the shown readiness, and what is prepared, keeps the wallet's other subscriptions as long as before. */
  readonly keepsOthers = signal(false)
  /** The answers of the wallet's own page (`/me`), where some of its subscriptions would end sooner: they name these. */
  readonly others = signal<PageAnswers | undefined>(undefined)
  /** Whether a larger permission lets the wallet's other subscriptions last longer: it is proposed unasked. */
  readonly canKeep = signal(false)
  readonly #signing = createSigning<'subscribe', Trouble>({
    title: 'Subscribe',
    done: 'You are subscribed.',
    asked: () => this.#asked,
    acts: (prepared) => this.acts(prepared),
    open: openSigning,
    show: (stage) => {
      this.phase.value = stage
    },
    troubleOf: (error) => errorTrouble(error, this.plan.peek().token),
    openTrouble: (error, pending) => stillOpenTrouble(error, pending, this.plan.peek().token),
    onOpen: (pending) => tellPending(pending !== undefined),
    onDone({ transactions, subscriptionId }) {
      void import('../../../signing/sponsor.ts').then(({ keepOffer }) => keepOffer(subscriptionId))
      const last = transactions.at(-1)
      if (last !== undefined) tellSubscribed(last.hash, last.blockNumber)
    },
    onPart: () => this.startAgain(),
  })
  /** What `#namesFor` has read. */
  #named: { readonly address: string; readonly names: Promise<PageAnswers | undefined> } | undefined
  /** The account whose readiness was asked for last. */
  #askedFor: string | undefined
  /** Counts the questions: an answer that comes after the next question is dropped. */
  #turn = 0

  constructor(plan: Subscription) {
    this.plan = signal(readable(plan))
    // Follows the wallet: for another account the terms are read anew, unless something is signed.
    effect(() => {
      const now = connected.value
      const [sent] = pendingOf(now).filter(
        ({ asked }) => asked.flow === 'subscribe' && Object(asked.request).id === plan.id,
      )
      if (this.#hasSigned) return
      if (now !== undefined && sent !== undefined && now.chainId === pageData.chain?.chainId) {
        this.#follow(sent, now)
        return
      }
      if (now?.address === this.#askedFor) return
      this.#signing.leave()
      this.phase.value = { kind: 'terms' }
      void this.look()
    })
  }

  /** Whether something is on its way or has an outcome. It stays in sight even if the wallet changes. */
  get #hasSigned(): boolean {
    const phase = this.phase.peek()
    if (phase.kind === 'stopped') return phase.sent.length > 0 || phase.open !== undefined
    return phase.kind === 'sending' || phase.kind === 'done'
  }

  /** Asks for the readiness, and shows it. With the other subscriptions kept where that helps, unless the visitor has said no. */
  async look(): Promise<void> {
    const now = connected.peek()
    this.#askedFor = now?.address
    this.#turn += 1
    const turn = this.#turn
    if (now === undefined || this.plan.peek().cancelled) return
    const known = this.readiness.peek()
    this.readiness.value = known.state === 'there' ? { ...known, isStale: true } : { state: 'loading' }
    const { periods, keepCoverage } = this.wish.peek()
    this.limitedUntilMs.value = undefined
    const onWait = (wait: Wait) => {
      if (turn !== this.#turn) return
      this.limitedUntilMs.value = wait.for === 'limit' ? Date.now() + wait.forMs : undefined
    }
    const input = { id: this.plan.peek().id, from: now.address, approvalPeriods: periods }
    try {
      const { alone, helping, plan, today, others } = await this.#ask(input, onWait)
      const answer = keepCoverage === false ? alone : (helping ?? alone)
      if (turn !== this.#turn) return
      batch(() => {
        this.limitedUntilMs.value = undefined
        this.plan.value = plan
        this.today.value = today
        this.others.value = others
        this.canKeep.value = helping !== undefined
        this.keepsOthers.value = answer === helping
        this.readiness.value = { state: 'there', answer, isStale: false }
        this.answeredPeriods.value = periods
      })
    } catch (error) {
      if (turn !== this.#turn) return
      this.limitedUntilMs.value = undefined
      this.readiness.value = { state: 'failed', error }
    }
  }

  /**
   * The readiness for this plan alone, and what stands beside it: the plan as of then, and the names of other subscriptions that would end
   * sooner. Where these would lack permission, it is asked for once more with all of them kept: `helping`, if that helps.
   */
  async #ask(
    input: Parameters<typeof api.checkSubscribeReadinessById>[0] & { readonly from: string },
    onWait: (wait: Wait) => void,
  ) {
    const alone = await api.checkSubscribeReadinessById(input, { onWait })
    const today = dayNumberAt(alone.asOf.timestamp)
    const worse = worsened(alone.details, today)
    const isPermission = worse.some(({ after }) => after.limitedBy === 'allowance')
    const [plan, others, kept] = await Promise.all([
      this.#planAt(alone),
      worse.length > 0 ? this.#namesFor(input.from) : undefined,
      isPermission ? api.checkSubscribeReadinessById({ ...input, keepCoverage: true }) : undefined,
    ])
    const helping = kept !== undefined && isHelped(worse, kept.details.alsoAffects) ? kept : undefined
    return { alone, helping, plan, today, others }
  }

  /** Whether the wallet that the page is about is subscribed: by now, or already. */
  get isMember(): boolean {
    if (this.phase.value.kind === 'done') return true
    const { value } = this.readiness
    return value.state === 'there' && value.answer.issues.some(({ code }) => code === 'ALREADY_SUBSCRIBED')
  }

  /** The plan with its due days as of the answer's block: the page may have come with an older one. */
  async #planAt(answer: CheckSubscribeReadinessByIdAnswer) {
    const { asOf, details, warnings } = answer
    const plan = this.plan.peek()
    const today = dayNumberAt(asOf.timestamp)
    // The oldest day that new subscribers pay for: a collecting since then changes it, or takes it away.
    const waits = warnings.find(({ code }) => code === 'BACKLOG_CHARGE')?.dueDay
    const [oldest] = comingCharges(plan, 1, today).filter(({ isSoon }) => isSoon)
    const isSame =
      details.nextDue?.dayNumber === plan.nextDue?.dayNumber &&
      Object(waits).dayNumber === oldest?.dayNumber &&
      today === this.today.peek()
    if (isSame) return plan
    const { subscription } = await api.getSubscription({ id: plan.id, minBlock: asOf.blockNumber })
    return readable(subscription)
  }

  /** The names of an account's subscriptions, read once. Where they cannot be read, the page names none. */
  #namesFor(address: string): Promise<PageAnswers | undefined> {
    if (this.#named?.address !== address) {
      const names = answersAt('/me', { address }).catch(() => undefined)
      this.#named = { address, names }
    }
    return this.#named.names
  }

  /** Changes what the visitor wishes, and asks anew. */
  wishFor(change: Partial<Wish>): void {
    this.wish.value = { ...this.wish.peek(), ...change }
    void this.look()
  }

  /** Back to the terms, which are read again. */
  startAgain(): void {
    this.phase.value = { kind: 'terms' }
    void this.look()
  }

  /** Prepares, and shows what there is to sign. */
  async review(): Promise<void> {
    const now = connected.peek()
    if (now !== undefined) await this.#signing.prepare(now)
  }

  /** Has exactly what was shown signed and sent. */
  async send(prepared: PrepareSubscribeByIdAnswer): Promise<void> {
    const now = connected.peek()
    if (now !== undefined) await this.#signing.send(prepared, now)
  }

  /** Looks again for what was sent. */
  goOn(): void {
    const phase = this.phase.peek()
    const now = connected.peek()
    if (phase.kind === 'stopped' && phase.open !== undefined && now !== undefined) {
      this.#follow(phase.open, now)
    }
  }

  /** Stops looking for what was sent, because its sender knows the outcome. */
  stopLooking(): void {
    const phase = this.phase.peek()
    if (phase.kind !== 'stopped' || phase.open === undefined) return
    forgetPending(phase.open)
    tellPending(false)
    this.startAgain()
  }

  #follow(pending: PendingSend, now: ConnectedWallet): void {
    // An answer that `look` still waits for would show the terms of before: it is dropped.
    this.#turn += 1
    void this.#signing.follow(pending, now)
  }

  /** What each transaction of it does, in words. */
  acts({ unsignedTransactions = [], preflight }: PrepareSubscribeByIdAnswer): readonly string[] {
    const { token } = this.plan.peek()
    const most = preflight?.allowance.proposed.amount
    const allow =
      most === undefined
        ? 'Give the permission'
        : `Allow up to ${shortMoneyWords(most, token, 'up')} to be taken`
    const { length } = unsignedTransactions
    return [
      ...(length > 2 ? ['Take the old permission back'] : []),
      ...(length > 1 ? [allow] : []),
      'Subscribe',
    ]
  }

  /** What is asked for. By `terms` the client refuses a plan that is another on the chain than on this page. */
  get #asked(): Asked<'subscribe'> {
    const { id, amount, provider, token, frequency, dueDay } = this.plan.peek()
    const { periods } = this.wish.peek()
    const keepCoverage = this.keepsOthers.peek()
    const terms = { amount, provider, token: token.address, frequency, dueDay }
    return { flow: 'subscribe', request: { id, approvalPeriods: periods, keepCoverage, terms } }
  }
}

/** The plan with a harmless token symbol: that is a stranger's word, and stands in many sentences here. */
function readable(subscription: Subscription): Subscription {
  const { token } = subscription
  const symbol = token.symbol === null ? null : strangersText(token.symbol, 12)
  return { ...subscription, token: { ...token, symbol } }
}
