import type { GetAccountAnswer } from '@remit/client'
import { warningBox } from './boxes.ts'
import { element } from './element.ts'
import { dateWords, money, price, short } from './words.ts'

export type Membership = GetAccountAnswer['subscribedTo'][number]

/** What a person may do with a subscription, and how far that has come. */
export interface Leaving {
  readonly state: 'not asked' | 'asked' | 'signing'
  ask(): void
  stay(): void
  leave(): void
}

/** One of the account's subscriptions. Leaving it takes a second word, which says what it costs. */
export function membershipCard(membership: Membership, leaving: Leaving): HTMLElement {
  const { subscription } = membership
  const { id } = subscription
  const name = element('strong', {}, price(subscription))
  return element(
    'article',
    { className: 'card' },
    element('p', {}, name, ' ', element('code', { title: id }, short(id))),
    element('p', {}, standing(membership)),
    ...(leaving.state === 'not asked' ? [leaveButton(membership, leaving)] : question(membership, leaving)),
  )
}

function standing({ subscription, covers }: Membership): string {
  const { nextDue } = subscription
  if (nextDue === null) return 'Cancelled by its provider; nothing is taken any more.'
  const next = `Next on ${dateWords(nextDue)}.`
  if (covers === null || covers.periods === null) return next
  const { periods, until, limitedBy, failsOn } = covers
  if (periods === 0) return `${next} The ${limitedBy} does not cover it: then you will be unsubscribed.`
  return (
    `${next} The ${limitedBy} lasts for ${periods} more, until ${dateWords(until)}. ` +
    `If it stays as it is, you will be unsubscribed on ${dateWords(failsOn)}.`
  )
}

function leaveButton({ subscription }: Membership, leaving: Leaving): HTMLElement {
  const button = element('button', { type: 'button', id: `leave-${subscription.id}` }, 'Unsubscribe')
  button.ariaLabel = `Unsubscribe from ${price(subscription)}, ${short(subscription.id)}`
  button.onclick = leaving.ask
  return button
}

function question({ subscription, feeBalance }: Membership, leaving: Leaving): HTMLElement[] {
  const { id, token } = subscription
  const disabled = leaving.state === 'signing'
  const sure = element('button', { type: 'button', id: `sure-${id}`, className: 'danger', disabled })
  sure.textContent = disabled ? 'Confirm it in the wallet …' : 'Yes, unsubscribe'
  sure.onclick = leaving.leave
  const no = element('button', { type: 'button', id: `stay-${id}`, disabled, onclick: leaving.stay }, 'Stay')
  const fee = money(feeBalance.amount, token)
  return [
    warningBox(`The fee balance of ${fee} goes to the provider and does not come back.`),
    element('div', { className: 'buttons' }, sure, no),
  ]
}
