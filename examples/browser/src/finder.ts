import type { Client } from '@remit/client'
import { element, part, show } from './element.ts'
import { type Asked, addressOf, services } from './settings.ts'
import { price, short } from './words.ts'

const MOST_SUGGESTIONS = 8

/** For whoever comes without an id: a form for one, and the newest ones of the service. */
export async function showFinder(
  client: Client,
  asked: Asked,
  chains: readonly { chainId: number; name: string }[],
  chainId: number,
): Promise<void> {
  const option = (value: string, text: string, selected: boolean) =>
    element('option', { value, selected }, text)
  part('chain').replaceChildren(
    ...chains.map((chain) => option(String(chain.chainId), chain.name, chain.chainId === chainId)),
  )
  part('service').replaceChildren(...services.map((url) => option(url, url, url === asked.service)))
  part('service-field').hidden = services.length === 1
  part('finder-form').addEventListener('submit', follow)
  part('finder').hidden = false

  const { subscriptions } = await client.searchSubscriptions({ first: MOST_SUGGESTIONS })
  const rows = subscriptions.map((subscription) =>
    element(
      'li',
      {},
      element('a', { href: addressOf(asked.service, chainId, subscription.id) }, price(subscription)),
      element('small', {}, `by ${short(subscription.provider)}, ${short(subscription.id)}`),
    ),
  )
  if (rows.length === 0) return
  const title = element('h3', {}, 'The newest ones here')
  show(part('suggestions'), title, element('ul', { className: 'plain' }, ...rows))
}

function follow(event: Event): void {
  event.preventDefault()
  if (!(event.target instanceof HTMLFormElement)) return
  const data = new FormData(event.target)
  const [service, chain, id] = ['service', 'chain', 'id'].map((name) => String(data.get(name)).trim())
  if (service && chain && id) location.search = addressOf(service, chain, id)
}
