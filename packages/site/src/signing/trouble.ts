import { type Issue, NotReadyError, SendingError, type SentTransaction } from '@remit/client'
import type { PendingSend } from '../pending/pendingSends.ts'
import { errorWords } from '../words/errors.ts'
import { momentWords } from '../words/time.ts'
import { sendingWords } from './sendingWords.ts'

/** Why a signing stopped, and the way out, as its dialog says it. */
export interface Trouble {
  readonly title: string
  readonly sentences: readonly string[]
  /** Whether it makes sense to look at it again. */
  readonly canTryAgain: boolean
}

const NOTHING_SENT = 'Nothing was sent.'

/** Why preparing or sending has ended, and what had been sent by then. */
export function troubleOf(error: unknown): {
  readonly trouble: Trouble
  readonly sent: readonly SentTransaction[]
} {
  if (error instanceof NotReadyError) return { trouble: issuesTrouble(error), sent: [] }
  if (!(error instanceof SendingError)) {
    const sentences = [errorWords(error), NOTHING_SENT]
    return { trouble: { title: 'It could not be prepared', sentences, canTryAgain: true }, sent: [] }
  }
  const words = sendingWords(error, { nothingSent: NOTHING_SENT })
  return { trouble: { ...words, canTryAgain: true }, sent: error.sent }
}

/** Why the waiting for a transaction ended, where it may still go through. */
export function openTrouble(
  error: unknown,
  { atMs }: Pick<PendingSend, 'atMs'>,
): { readonly trouble: Trouble; readonly sent: readonly SentTransaction[] } {
  const isKnown = error instanceof SendingError
  const { title, sentences } = isKnown
    ? sendingWords(error, { nothingSent: '' })
    : { title: 'It cannot be seen what came of it', sentences: [errorWords(error)] }
  return {
    trouble: {
      title,
      sentences: [...sentences, `It was sent on ${momentWords(new Date(atMs))}.`, WHEN_TO_STOP],
      canTryAgain: true,
    },
    sent: isKnown ? error.sent : [],
  }
}

const WHEN_TO_STOP =
  'This page goes on looking for it, also when you come back later. Stop that only if your wallet says that it failed, ' +
  'or was dropped.'

/** The transaction that was followed is mined, and the one after it was never sent. */
export const PART_TROUBLE: Trouble = {
  title: 'The first part of it went through',
  sentences: ['The rest was not sent. Look at it again.'],
  canTryAgain: true,
}

function issuesTrouble({ issues, message }: NotReadyError): Trouble {
  const [first] = issues
  const said = first === undefined ? undefined : saidOf(first)
  const sentences = said?.slice(1) ?? (issues.length === 0 ? [message] : issues.map(issueSentence))
  return { title: said?.[0] ?? 'Not possible now', sentences, canTryAgain: said === undefined }
}

/** `NOTHING_TO_EXTEND` has two meanings: with `needed`, the permission is large enough; without, no subscription needs one. */
function saidOf({ code, needed }: Issue): readonly [string, ...string[]] | undefined {
  return code === 'NOTHING_TO_EXTEND' && needed !== undefined ? ENOUGH : ISSUES[code ?? '']
}

const ENOUGH = [
  'The permission is large enough already',
  'It does for that many payments. To let it last longer, choose more of them.',
] as const

const issueSentence = ({ message }: Issue) => message

/**
 * Why it cannot be done, by the code of the service's reason: a title, and the way out. Any other reason is told by the
 * service's sentence.
 */
const ISSUES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  NOT_SUBSCRIBED: [
    'This wallet is not subscribed',
    'It has left already, was removed, or could not pay. Close this and refresh the page to see how it stands.',
  ],
  ALREADY_CANCELLED: [
    'This plan has ended already',
    'Nobody pays for it any more. There is nothing left to do.',
  ],
  SUBSCRIPTION_CANCELLED: [
    'This plan has ended',
    'Its provider has ended it, and it takes nothing any more.',
  ],
  NOT_PROVIDER: [
    'Another wallet made this plan',
    'Only that wallet can change it. Switch to it in your wallet, then try again.',
  ],
  TOKEN_PAUSED: [
    'Payments in this token are paused',
    'The contract has paused it. Choose another token, or come back later.',
  ],
  NOTHING_TO_REVOKE: [
    'There is nothing to take back',
    'The contract may take nothing of this token from your wallet.',
  ],
  NOTHING_TO_EXTEND: ['There is nothing to extend', 'This wallet has no running subscription in this token.'],
  REMIT_NOT_DUE: [
    'Somebody was faster',
    'Every day up to today is collected. The next one can be collected after midnight (UTC).',
  ],
  NOTHING_DUE: [
    'There is nothing to collect',
    'No payment is due up to today. Somebody may have collected it a moment ago.',
  ],
  SUBSCRIPTION_PAGING: [
    'Payments are being collected right now',
    'This plan cannot be changed until that is done. It mostly takes a few minutes.',
  ],
}
