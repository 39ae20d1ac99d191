import {
  type CheckSubscribeReadinessByIdAnswer,
  type Client,
  SendingError,
  type SubscribeReadiness,
  type Subscription,
} from '@remit/client'
import { formatUnits } from 'viem'
import { allowanceLeftBy, errorBox, warningBox } from './boxes.ts'
import { announce, element, facts, heading, part, show } from './element.ts'
import { Steps } from './Steps.ts'
import { blockNumberOf, type ConnectedWallet, walletClientOf } from './wallets.ts'
import { dateWords, money, periodOf, price, warningWords } from './words.ts'

/** How many charges the allowance may be asked to cover. */
const PERIOD_CHOICES = [3, 6, 12, 24]

/** What is to be signed, in words and numbers, before anything is; then the signing, step by step. */
export class SubscribeSection {
  readonly #client: Client
  readonly #onSubscribed: (blockNumber: number | undefined) => void
  #periods = 12
  /** Where the wallet's own transactions are in the chain: what was read before is out of date. */
  #ownBlock = 0
  /** Counts what was begun: an answer that comes after the next question is nobody's. */
  #turn = 0

  constructor(client: Client, onSubscribed: (blockNumber: number | undefined) => void) {
    this.#client = client
    this.#onSubscribed = onSubscribed
  }

  hide(): void {
    this.#turn += 1
    part('review').hidden = true
  }

  /** Asks what subscribing would take of this wallet, and shows it. */
  async review(wallet: ConnectedWallet, subscription: Subscription): Promise<void> {
    this.#turn += 1
    const turn = this.#turn
    const title = heading('review-title', 'What you would sign')
    show(part('review'), title, element('p', {}, 'Asking what it takes …'))
    try {
      if (this.#ownBlock > 0) await this.#client.getProtocolState({ minBlock: this.#ownBlock })
      const readiness = await this.#client.checkSubscribeReadinessById({
        from: wallet.address,
        id: subscription.id,
        approvalPeriods: this.#periods,
      })
      if (turn === this.#turn) this.#showReview(wallet, subscription, readiness)
    } catch (error) {
      if (turn !== this.#turn) return
      const again = element('button', { type: 'button', id: 'review-again' }, 'Ask again')
      again.onclick = () => void this.review(wallet, subscription)
      show(part('review'), title, errorBox(error), again)
    }
  }

  #showReview(
    wallet: ConnectedWallet,
    subscription: Subscription,
    { ready, issues, warnings, details }: CheckSubscribeReadinessByIdAnswer,
  ): void {
    if (!ready) {
      const isSubscribed = issues.some(({ code }) => code === 'ALREADY_SUBSCRIBED')
      const notes = isSubscribed
        ? [element('p', { className: 'note' }, 'This wallet is subscribed already: see below.')]
        : issues.map(({ message }) => warningBox(message))
      const words = isSubscribed ? 'Subscribed' : 'Not possible now'
      show(part('review'), heading('review-title', words), ...notes)
      return
    }
    const title = heading('review-title', 'What you would sign')
    const button = element('button', { type: 'button', id: 'subscribe', className: 'primary' })
    button.textContent = `Subscribe for ${price(subscription)}`
    button.onclick = () => void this.#subscribe(wallet, subscription, details.proposedAllowance.amountRaw)
    show(
      part('review'),
      title,
      charges(subscription, details),
      this.#periodsField(wallet, subscription, details.needsApproval),
      ...warnings.map((warning) => warningBox(warningWords(warning, subscription))),
      goodToKnow(),
      button,
    )
  }

  #periodsField(
    wallet: ConnectedWallet,
    subscription: Subscription,
    needsApproval: boolean,
  ): HTMLElement | undefined {
    if (!needsApproval) return undefined
    const choices = PERIOD_CHOICES.map((periods) =>
      element(
        'option',
        { value: String(periods), selected: periods === this.#periods },
        `${periods} ${periodOf(subscription)}s`,
      ),
    )
    const select = element('select', { id: 'periods' }, ...choices)
    select.onchange = () => {
      this.#periods = Number(select.value)
      void this.review(wallet, subscription)
    }
    return element(
      'p',
      { className: 'field' },
      element('label', { htmlFor: 'periods' }, 'Let the allowance last for'),
      select,
    )
  }

  /** @param maxApproval what was shown: more than that is not signed */
  async #subscribe(wallet: ConnectedWallet, subscription: Subscription, maxApproval: bigint): Promise<void> {
    this.hide()
    const steps = new Steps(part('progress'), wallet.name)
    try {
      // The client holds the chain to the terms that were shown.
      const terms = { ...subscription, token: subscription.token.address }
      const { firstCharge, transactions } = await this.#client
        .subscribe({ id: subscription.id, approvalPeriods: this.#periods, terms })
        .send(walletClientOf(wallet), { maxApproval, onProgress: (progress) => steps.tell(progress) })
      const done = `You are subscribed. ${money(total(firstCharge), subscription.token)} was taken.`
      steps.succeed(done)
      announce(done)
      this.#onSubscribed(transactions.at(-1)?.blockNumber)
    } catch (error) {
      if (error instanceof SendingError && error.sent.length > 0) {
        this.#ownBlock = await blockNumberOf(wallet).catch(() => 0)
      }
      const again = element('button', { type: 'button', id: 'again' }, 'Look at it again')
      again.onclick = () => {
        part('progress').hidden = true
        void this.review(wallet, subscription)
      }
      steps.fail(errorBox(error), allowanceLeftBy(error, this.#client, wallet), again)
    }
  }
}

function charges(subscription: Subscription, details: SubscribeReadiness): HTMLElement {
  const { token } = subscription
  const { toFeeBalance, toProvider } = details.firstCharge
  const now = element('strong', {}, money(total(details.firstCharge), token))
  const parts = [
    toProvider.amountRaw > 0n ? `${money(toProvider.amount, token)} for the provider` : '',
    toFeeBalance.amountRaw > 0n
      ? `${money(toFeeBalance.amount, token)} kept for the fees of later payments`
      : '',
  ].filter((text) => text !== '')
  const small = (text: string) => element('small', {}, text)
  return facts(
    ['Taken now', now, small(parts.join(', '))],
    [
      'Next payment',
      money(subscription.amount, token),
      small(`from ${dateWords(details.nextDue)} on, then every ${periodOf(subscription)}`),
    ],
    details.needsApproval
      ? [
          'Allowance',
          money(details.proposedAllowance.amount, token),
          small(`the most the protocol can take in all; it lasts until ${dateWords(details.coversUntil)}`),
        ]
      : [
          'Allowance',
          'what you have given already is enough',
          small(`it lasts beyond ${dateWords(details.coversUntil)}`),
        ],
    ['You hold', money(details.balance.amount, token)],
  )
}

function total({ toFeeBalance, toProvider }: SubscribeReadiness['firstCharge']): string {
  return formatUnits(toFeeBalance.amountRaw + toProvider.amountRaw, toFeeBalance.tokenDecimals)
}

/** What surprises people otherwise. */
function goodToKnow(): HTMLElement {
  const sentences = [
    'If one payment cannot be taken, for lack of balance or allowance, you are unsubscribed.',
    'You can unsubscribe at any time. What was kept for fees then goes to the provider.',
    'Days begin at midnight UTC. Sending the transactions costs a little of the chain’s own coin.',
  ]
  return element('ul', { className: 'know' }, ...sentences.map((sentence) => element('li', {}, sentence)))
}
