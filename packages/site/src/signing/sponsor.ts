import { parseUrl } from '@remit/client/request/parseUrl'
import { pageData } from '../page/pageData.ts'
import { recall, remember } from '../page/stored.ts'
import type { Asked } from '../pending/pendingSends.ts'
import type { ConnectedWallet } from '../wallet/wallet.ts'

/** Who offers to pay the network's fee: a paymaster (ERC-7677), which the wallet asks and this page never does. */
export interface Sponsor {
  readonly url: string
  /** As a browser would ask for it: a name with look-alike letters of another script reads `xn--…` here. */
  readonly host: string
}

/** Reads a paymaster's address, which anybody can have written: https, on a development chain also http on this machine. */
export function readSponsor(
  text: string | undefined,
  isDevChain = pageData.chain?.devRpcUrl != null,
): Sponsor | undefined {
  const url = text === undefined ? undefined : parseUrl(text.trim())
  if (url === undefined || url.href.length > 2_048) return undefined
  // A user name before the host could be mistaken for it.
  if (url.username !== '' || url.password !== '' || url.href.includes('#')) return undefined
  const isHere = url.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.protocol !== 'https:' && !(isHere && isDevChain)) return undefined
  return { url: url.href, host: url.host }
}

const keyOf = (plan: string) => `remit.paymaster.${plan.toLowerCase()}`

/** Keeps in this browser who offers to pay by the page's link: they are asked again when this plan is left one day. */
export function keepOffer(plan: string): void {
  const offer = readSponsor(pageData.query.paymaster)
  if (offer !== undefined) remember(keyOf(plan), offer.url)
}

/**
 * Who offers to pay the network's fee of what is asked, where the wallet says that it asks paymasters. For subscribing that
 * is whom the page's link names; for leaving, whom this browser has kept for the plan (`keepOffer`). Nothing else is paid.
 */
export async function sponsorOf(
  { flow, request }: Asked,
  now: ConnectedWallet,
): Promise<Sponsor | undefined> {
  const { id } = Object(request)
  const text =
    flow === 'subscribe'
      ? pageData.query.paymaster
      : flow === 'unsubscribe'
        ? recall(keyOf(String(id)))
        : undefined
  const offer = readSponsor(text)
  return offer !== undefined && (await asksPaymasters(now)) ? offer : undefined
}

/** A wallet that has not answered by then is taken for one that does not know of paymasters. */
const PATIENCE_MS = 3_000

async function asksPaymasters({ wallet: { provider }, address, chainId }: ConnectedWallet): Promise<boolean> {
  const chain = `0x${chainId.toString(16)}` as const
  const asked = provider
    .request({ method: 'wallet_getCapabilities', params: [address, [chain]] })
    .catch(() => undefined)
  const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), PATIENCE_MS))
  const told: unknown = await Promise.race([asked, late])
  // What holds for all chains stands under 0x0 (EIP-5792).
  return [chain, '0x0'].some((key) => Object(Object(Object(told)[key]).paymasterService).supported === true)
}
