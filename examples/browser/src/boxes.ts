import { type Client, SendingError } from '@remit/client'
import type { Address } from 'viem'
import { announce, element } from './element.ts'
import { errorWords } from './errorWords.ts'
import { type ConnectedWallet, walletClientOf } from './wallets.ts'

/** What went wrong, as one box. */
export function errorBox(error: unknown): HTMLElement {
  return element(
    'div',
    { className: 'error', role: 'alert' },
    ...errorWords(error).map((sentence) => element('p', {}, sentence)),
  )
}

/** Something to mind, which stops nothing. */
export function warningBox(sentence: string): HTMLElement {
  return element('p', { className: 'warning' }, sentence)
}

/** Where an error has left an allowance behind that nothing uses: a box that offers to take it back. */
export function allowanceLeftBy(
  error: unknown,
  client: Client,
  wallet: ConnectedWallet,
): HTMLElement | undefined {
  if (!(error instanceof SendingError) || error.allowanceRemains === null) return undefined
  const { token } = error.allowanceRemains
  return revokeBox(
    client,
    wallet,
    token,
    'The protocol may now take the token from you, although you do not subscribe.',
  )
}

/** Says what an allowance still allows, and offers to take it back. */
export function revokeBox(
  client: Client,
  wallet: ConnectedWallet,
  token: Address,
  words: string,
): HTMLElement {
  const button = element('button', { type: 'button', id: 'revoke' }, 'Take the allowance back')
  const box = element('div', { className: 'warning' }, element('p', {}, words), button)
  button.onclick = async () => {
    button.disabled = true
    button.textContent = 'Confirm it in the wallet …'
    try {
      await client.revokeAllowance({ token }).send(walletClientOf(wallet))
      box.className = 'success'
      box.replaceChildren(element('p', {}, 'The allowance is taken back: nothing more can be taken.'))
      announce('The allowance is taken back.')
    } catch (error) {
      button.disabled = false
      button.textContent = 'Take the allowance back'
      box.append(errorBox(error))
    }
  }
  return box
}
