import { type Issue, NotReadyError, SendingError, type SubscribeReadiness, type Token } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import type { PendingSend } from '../../../pending/pendingSends.ts'
import { type SendingWords, sendingWords } from '../../../signing/sendingWords.ts'
import { openTrouble } from '../../../signing/trouble.ts'
import { errorWords } from '../../../words/errors.ts'
import { shortMoneyWords } from '../../../words/money.ts'
import { strangersText } from '../../../words/strangersText.ts'

/** Why subscribing stopped or is impossible, and the way out. */
export interface Trouble {
  readonly title: string
  /** What happened, and what one can do, in sentences. */
  readonly sentences: readonly string[]
  /**
   * What the button does. `again`: reads the terms anew. `reload`: loads the page anew. `otherPlans`: leads to the provider's other plans.
   * `goOn`: goes on looking for what was sent.
   */
  readonly way: 'again' | 'reload' | 'otherPlans' | 'goOn'
  /** The words on that button. */
  readonly does: string
}

const LOOK_AGAIN = { way: 'again', does: 'Look again' } as const
const TRY_AGAIN = { way: 'again', does: 'Try again' } as const
const NOTHING_SENT = 'Nothing was sent, and nothing was paid.'

interface IssueContext {
  readonly token: Token
  readonly details: SubscribeReadiness | undefined
  /** What the wallet must hold to subscribe and stay, in the token's smallest unit. */
  readonly needed?: bigint | undefined
}

/** Why a wallet cannot subscribe now, by the service's reason. */
export function issueTrouble({ code, message }: Issue, { token, details, needed }: IssueContext): Trouble {
  switch (code) {
    case 'OWN_SUBSCRIPTION':
      return {
        title: 'This is your own plan',
        sentences: [
          'You cannot pay yourself. Use another account of your wallet, or send the link to somebody.',
        ],
        ...LOOK_AGAIN,
      }
    case 'INSUFFICIENT_BALANCE':
      return {
        title: 'Not enough in this wallet',
        sentences: poorWords({ token, details, needed }),
        ...LOOK_AGAIN,
      }
    case 'TOKEN_PAUSED':
      return {
        title: 'Payments in this token are paused',
        sentences: [
          `The contract has paused ${symbolWords(token)}. Nothing can be subscribed to in it until that ends.`,
          'You need not do anything. Come back later.',
        ],
        ...LOOK_AGAIN,
      }
    case 'SUBSCRIPTION_CANCELLED':
      return {
        title: 'This plan has ended',
        sentences: ['The provider has ended it for good, and it takes nothing any more.'],
        way: 'otherPlans',
        does: 'See the provider’s other plans',
      }
    case 'SUBSCRIPTION_PAGING':
      return {
        title: 'Payments are being collected right now',
        sentences: ['Nobody can join this plan until that is done. It mostly takes a few minutes.'],
        ...LOOK_AGAIN,
      }
    default:
      return { title: 'Not possible now', sentences: [message], ...LOOK_AGAIN }
  }
}

/** The sentences for a wallet that holds too little. Without the details of the readiness no amounts are named. */
function poorWords({ token, details, needed }: IssueContext): string[] {
  if (details === undefined) return ['It must hold the price of one whole payment.']
  const { balance, requiredAmount } = details
  const held = `Your wallet holds ${shortMoneyWords(balance.amount, token, 'down')}. `
  if (needed !== undefined && needed > requiredAmount.amountRaw) {
    const all = shortMoneyWords(formatHuman(needed, token.decimals), token, 'up')
    return [
      `${held}Today takes ${all}: the first part at once, and what is due already as soon as it is collected.`,
    ]
  }
  return [
    `${held}To subscribe it must hold one whole payment, ` +
      `${shortMoneyWords(requiredAmount.amount, token, 'up')}, even where less is taken today.`,
  ]
}

function symbolWords(token: Token): string {
  return strangersText(token.symbol ?? 'the token', 20)
}

/** Why preparing or sending has ended, and what had been sent by then. */
export function errorTrouble(
  error: unknown,
  token: Token,
): { readonly trouble: Trouble; readonly sent: SendingError['sent'] } {
  if (error instanceof NotReadyError) {
    const [issue] = error.issues
    if (issue !== undefined) {
      return { trouble: issueTrouble(issue, { token, details: undefined }), sent: [] }
    }
  }
  if (!(error instanceof SendingError)) {
    const trouble = {
      title: 'It could not be prepared',
      sentences: [errorWords(error), NOTHING_SENT],
      ...TRY_AGAIN,
    }
    return { trouble, sent: [] }
  }
  const { title, sentences } = sendingWords(error, { own: OWN_WORDS, nothingSent: NOTHING_SENT })
  return {
    sent: error.sent,
    trouble: {
      title,
      sentences: [...sentences, ...permissionWords(error, token)],
      ...(error.code === 'TERMS_DIFFER' ? { way: 'reload', does: 'Load the page again' } : TRY_AGAIN),
    },
  }
}

/** Why the search for what was sent ended although it may still go through. */
export function stillOpenTrouble(
  error: unknown,
  pending: Pick<PendingSend, 'atMs'>,
  token: Token,
): { readonly trouble: Trouble; readonly sent: SendingError['sent'] } {
  const { trouble, sent } = openTrouble(error, pending)
  const { title, sentences } = trouble
  const permission = error instanceof SendingError ? permissionWords(error, token) : []
  return {
    sent,
    trouble: { title, sentences: [...sentences, ...permission], way: 'goOn', does: 'Go on looking' },
  }
}

/** Words of this page in place of those in `sendingWords.ts`. */
const OWN_WORDS: SendingWords = {
  PREPARED_EXPIRED: [
    'Midnight has passed',
    'What is taken at the start depends on the day, and a new day has begun (in UTC). Look at the new amount first.',
  ],
  TERMS_DIFFER: [
    'The terms are not those of this page',
    'Your wallet’s network knows other terms for this plan than this page shows.',
  ],
  WOULD_REVERT: [
    'It would fail now',
    'Your wallet’s network says that it would fail. Perhaps your balance has changed. Look at it again.',
  ],
}

/** What is said where an approval was signed and the subscribing after it was not. */
function permissionWords({ allowanceRemains }: SendingError, token: Token): string[] {
  if (allowanceRemains === null) return []
  return [
    `The permission for ${symbolWords(token)} that you signed stays. Only what you subscribe to can use it, and you ` +
      'can take it back under “My subscriptions”.',
  ]
}
