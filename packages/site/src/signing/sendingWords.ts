import type { SendingError } from '@remit/client'
import { innermostWords } from '../wallet/walletErrorWords.ts'

/** By the code of a failure: a title, and sentences with the way out. */
export type SendingWords = Partial<Record<SendingError['code'], readonly [string, ...string[]]>>

/**
 * Why sending has ended, for people. A failure that has no words here is told by the client's own sentence.
 * @param own the page's own words, which come before those of this file
 * @param nothingSent the last sentence where it is certain that nothing was sent
 */
export function sendingWords(
  error: SendingError,
  { own = {}, nothingSent }: { readonly own?: SendingWords; readonly nothingSent: string },
): { readonly title: string; readonly sentences: readonly string[] } {
  const [title, ...sentences] = own[error.code] ??
    SAID[error.code] ?? ['It was not finished', ownSentence(error)]
  // A wallet that failed may have sent something all the same.
  const mayBeSent = error.sent.length > 0 || error.callsId !== null || error.code === 'WALLET_FAILED'
  const told = SAID_BY_WALLETS.has(error.code) ? innermostWords(error.cause) : undefined
  return {
    title,
    sentences: [...(told === undefined ? [] : [told]), ...sentences, ...(mayBeSent ? [] : [nothingSent])],
  }
}

/** Failures of a wallet: what it said itself comes first. */
const SAID_BY_WALLETS: ReadonlySet<SendingError['code']> = new Set([
  'WALLET_FAILED',
  'NOT_SENT',
  'CHAIN_READ_FAILED',
  'CALLS_FAILED',
])

const SAID: SendingWords = {
  USER_REJECTED: ['You said no in your wallet', 'That is fine. You can look at it again whenever you like.'],
  NO_ACCOUNT: ['Your wallet shows no account', 'Open it, unlock it, and connect it again.'],
  WRONG_CHAIN: [
    'Your wallet is on another network',
    'Switch it to the network of this page, then look again.',
  ],
  PREPARED_EXPIRED: [
    'Midnight has passed',
    'A new day has begun (in UTC), and things may stand otherwise. Look at it again.',
  ],
  UNSAFE_TRANSACTION: [
    'Something has changed since you looked',
    'What was prepared is no longer exactly what your wallet’s network asks for, so it was not signed. Look at it ' +
      'again. If this comes back, do not sign it here.',
  ],
  UNKNOWN_CONTRACT: ['This network is not known', 'It cannot be checked what you would sign here.'],
  CHAIN_READ_FAILED: [
    'Your wallet’s network did not answer',
    'What you would sign could not be checked, so it was not signed. Try again in a moment.',
  ],
  WOULD_REVERT: [
    'It would fail now',
    'Your wallet’s network says that it would fail. Somebody may have been faster. Look at it again.',
  ],
  WALLET_FAILED: [
    'Your wallet failed',
    'It may have sent something all the same. Look at its list of transactions before you try again.',
  ],
  NOT_SENT: ['Your wallet could not send it', 'Look at what your wallet says, and try again.'],
  TRANSACTION_REVERTED: [
    'It failed on the network',
    'The network’s fee is spent, and nothing else was taken. Look at it again to see why.',
  ],
  TRANSACTION_REPLACED: [
    'It was replaced in your wallet',
    'You, or your wallet, sent something else in its place. Look at it again to see where you stand.',
  ],
  STILL_PENDING: [
    'It is not confirmed yet',
    'It was sent and may still go through. Do not sign it a second time.',
  ],
  CALLS_FAILED: ['Your wallet gave up on it', 'Your wallet did not carry it out. You can look at it again.'],
}

/** The client's own sentence, without the list of what was sent: the page shows that itself. */
function ownSentence({ message }: Error): string {
  return message.split(/ (?:Sent before|The wallet's id for the calls|The allowance remains)/)[0] ?? message
}
