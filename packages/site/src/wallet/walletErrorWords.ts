import { strangersText } from '../words/strangersText.ts'

/** What a wallet has refused, in a sentence. */
export function walletErrorWords(error: unknown): string {
  const { code, message } = Object(error)
  // EIP-1193: the user said no; EIP-1474: a question is open already.
  if (code === 4001) return 'You said no in the wallet. Nothing was done.'
  if (code === -32002) return 'Your wallet is already asking you something: open it and answer there.'
  if (code === 4902) return 'Your wallet does not know this chain. Add it in the wallet’s settings.'
  const told = typeof message === 'string' ? strangersText(message.split('\n')[0] ?? '', 160) : ''
  return told === '' ? 'The wallet failed without saying why.' : `The wallet answered: ${told}`
}
