import { type Client, createClient, type Subscription } from '@remit/client'
import { AccountSection } from './AccountSection.ts'
import { errorBox } from './boxes.ts'
import { element, part, show } from './element.ts'
import { showFinder } from './finder.ts'
import { SubscribeSection } from './SubscribeSection.ts'
import { contracts, readAddress } from './settings.ts'
import { type Said, showSubscription } from './showSubscription.ts'
import { WalletSection } from './WalletSection.ts'
import type { ConnectedWallet } from './wallets.ts'

async function start(): Promise<void> {
  const asked = readAddress(location.search)
  const { chains, chainId: standard } = await createClient({ url: asked.service }).getCatalog()
  const served = chains.filter(({ rest }) => rest)
  const chain = served.find(({ chainId }) => chainId === (asked.chainId ?? standard))
  if (chain === undefined) throw new Error(`The service does not serve chain ${asked.chainId}.`)
  part('where').textContent = `${chain.name}, by the service at ${new URL(asked.service).host}`

  const client = createClient({ url: asked.service, contracts, chainId: chain.chainId })
  if (asked.id === undefined) return showFinder(client, asked, served, chain.chainId)
  const { subscription } = await client.getSubscription({ id: asked.id })
  showSubscription(subscription, undefined)
  begin(client, chain, subscription, saidOf(client, subscription))
}

/** Brings the sections together: what happens in one changes the others. */
function begin(
  client: Client,
  chain: { chainId: number; name: string },
  subscription: Subscription,
  saying: Promise<Said | undefined>,
): void {
  let current = subscription
  let said: Said | undefined
  let wallet: ConnectedWallet | undefined
  const review = () => {
    if (wallet === undefined || current.cancelled) subscribing.hide()
    else void subscribing.review(wallet, current)
  }
  const account = new AccountSection(client, {
    onChanged(subscriptions) {
      current = subscriptions.find(({ id }) => id === subscription.id) ?? current
      showSubscription(current, said)
    },
    onLeft() {
      part('progress').hidden = true
      review()
    },
  })
  const subscribing = new SubscribeSection(client, (blockNumber) => void account.refresh(blockNumber))
  new WalletSection(chain, (connected) => {
    wallet = connected
    part('progress').hidden = true
    review()
    account.follow(connected)
  })
  void saying.then((words) => {
    said = words
    showSubscription(current, said)
  })
}

/** What the provider wrote is beside the point of paying: where it cannot be read, the page goes on without. */
async function saidOf(client: Client, { id, provider }: Subscription): Promise<Said | undefined> {
  try {
    const [{ details }, { profile }] = await Promise.all([
      client.getSubscriptionDetails({ id }),
      client.getProviderProfile({ address: provider }),
    ])
    return { details, profile }
  } catch {
    return undefined
  }
}

start().catch((error: unknown) => {
  const other = element('p', {}, element('a', { href: '?' }, 'Look for another subscription'))
  show(part('trouble'), errorBox(error), other)
})
