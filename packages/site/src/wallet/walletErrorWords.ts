import { strangersText } from '../words/strangersText.ts'

/** Why a wallet did not do what it was asked for, in a sentence. */
export function walletErrorWords(error: unknown): string {
  const { code } = Object(error)
  // EIP-1193: the user said no. EIP-1474: a question is open already. EIP-3326: the chain is unknown.
  if (code === 4001) return 'You said no in the wallet. Nothing was done.'
  if (code === -32002) return 'Your wallet is already asking you something: open it and answer there.'
  if (code === 4902) return 'Your wallet does not know this chain. Add it in the wallet’s settings.'
  return innermostWords(error) ?? 'The wallet failed without saying why.'
}

/** How many causes are followed: libraries wrap what a wallet throws in a few errors of their own. */
const DEEPEST = 8

/** What a wallet itself said of a failure: the innermost words are its own. `undefined` where it said nothing. */
export function innermostWords(error: unknown): string | undefined {
  let told = ''
  let at = error
  for (let depth = 0; depth < DEEPEST && typeof at === 'object' && at !== null; depth += 1) {
    const { details, message, cause } = Object(at)
    const own = typeof details === 'string' && details.trim() !== '' ? details : message
    if (typeof own === 'string' && own.trim() !== '') told = own
    at = cause
  }
  const words = strangersText(told.split('\n')[0] ?? '', 160)
  return words === '' ? undefined : `The wallet answered: ${words}`
}
