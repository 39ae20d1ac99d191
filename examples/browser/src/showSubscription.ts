import type { GetProviderProfileAnswer, GetSubscriptionDetailsAnswer, Subscription } from '@remit/client'
import { element, facts, heading, part, show } from './element.ts'
import { dateWords, dueDayWords, money, price, short } from './words.ts'

/** What providers wrote of themselves: strangers' words, which nobody has verified. */
export interface Said {
  readonly details: GetSubscriptionDetailsAnswer['details']
  readonly profile: GetProviderProfileAnswer['profile']
}

/** The terms as the chain has them, and beside them what the provider says. */
export function showSubscription(subscription: Subscription, said: Said | undefined): void {
  const { provider, token, cancelled, nextDue, overdue } = subscription
  show(
    part('subscription'),
    heading('subscription-title', 'The subscription'),
    element('p', { className: 'price' }, price(subscription)),
    cancelled
      ? element(
          'p',
          { className: 'warning' },
          'Its provider has cancelled this subscription; that cannot be undone.',
        )
      : undefined,
    facts(
      ['Due', dueDayWords(subscription)],
      ['Next due', dateWords(nextDue)],
      ...overdue.slice(0, 1).map((day) => ['Not collected yet', `since ${dateWords(day)}`] as const),
      ['Paid to', code(provider)],
      [
        'Token',
        money(token.name ?? '', { symbol: '', address: '' }).trim() || 'unnamed',
        ' ',
        code(token.address),
      ],
      ['Subscription', code(subscription.id)],
    ),
    said === undefined ? undefined : sayings(said),
  )
}

/** A whole address or id, for people to compare, which may break anywhere. */
function code(hex: string): HTMLElement {
  return element('code', { title: short(hex) }, hex)
}

function sayings({ details, profile }: Said): HTMLElement | undefined {
  const company = [profile?.company, profile?.domain].filter(Boolean).join(', ')
  const words = [details?.description, profile?.description].filter(Boolean)
  if (company === '' && words.length === 0 && !details?.url) return undefined
  return element(
    'figure',
    { className: 'said' },
    element('blockquote', {}, ...words.map((text) => element('p', {}, text ?? ''))),
    element(
      'figcaption',
      {},
      `Written by the provider${company === '' ? '' : `, who goes by “${company}”`}. Nobody has verified it. `,
      link(details?.url),
    ),
  )
}

/** Only https, and shown whole, so that it is seen where it leads. */
function link(url: string | undefined): HTMLElement | undefined {
  if (!url?.startsWith('https://') || !URL.canParse(url)) return undefined
  return element('a', { href: url, rel: 'noopener noreferrer nofollow', target: '_blank' }, url)
}
