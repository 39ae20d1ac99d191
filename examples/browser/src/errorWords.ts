import {
  NetworkError,
  NotReadyError,
  RateLimitedError,
  RemitError,
  SendingError,
  type SentTransaction,
  TimeoutError,
} from '@remit/client'
import { deedOf } from './words.ts'

/** What went wrong, in sentences: the first says what, the others what had happened by then. */
export function errorWords(error: unknown): readonly string[] {
  if (error instanceof SendingError) return sendingWords(error)
  if (error instanceof NotReadyError) return error.issues.map(({ message }) => message)
  if (error instanceof RateLimitedError) {
    const wait = error.retryAfterSeconds ?? 60
    return [`The service asks for patience: try again in ${wait} seconds. Nothing was done.`]
  }
  if (error instanceof RemitError) return [error.message]
  if (error instanceof NetworkError || error instanceof TimeoutError) {
    return ['The service cannot be reached: it must be running, and allow pages of this address.']
  }
  if (isRefusal(error)) return ['You said no in the wallet. Nothing was done.']
  const [first = ''] = (error instanceof Error ? error.message : '').split('\n')
  return [first === '' ? 'Something failed without saying why.' : first]
}

function sendingWords(error: SendingError): string[] {
  // The client's own sentence ends with what was sent, which is told below in this page's words.
  const [sentence = ''] = error.message.split(
    / (?:Sent before|The wallet's id for the calls|The allowance remains)/,
  )
  const first = error.code === 'USER_REJECTED' ? 'You said no in the wallet.' : sentence
  if (error.sent.length === 0 && error.callsId === null)
    return [first, 'Nothing was sent, and nothing was paid.']
  const sent = error.sent.map(({ functions, status, hash }) => {
    return `Before that you signed “${deedOf(functions)}”, which ${STANDINGS[status]} (transaction ${hash}).`
  })
  return [first, ...sent]
}

const STANDINGS: Readonly<Record<SentTransaction['status'], string>> = {
  pending: 'may still be mined',
  success: 'is on the chain',
  reverted: 'failed',
  replaced: 'was replaced in the wallet',
}

/** EIP-1193: the user said no. viem wraps it, so the causes are looked at too. */
function isRefusal(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  if ('code' in error && error.code === 4001) return true
  return 'cause' in error && isRefusal(error.cause)
}
