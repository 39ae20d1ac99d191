import type { Hex } from 'viem'
import * as z from 'zod'
import { useSite } from '../support/browser/useSite.ts'

/** What somebody writes who hopes that a page takes it for more than text. */
export const HOSTILE = [
  '<img src=x onerror="document.title=1"><script>document.title=2</script>',
  '\u202egnp.exe\u2066 \u200b\u200d\ufeff',
  `e${'\u0301'.repeat(10_000)}`,
  '</script><!--<script> \u2028 javascript:alert(1) data:text/html,x {{7*7}} \u0000',
].join(' ')

/** With a Cyrillic а. */
const HOMOGLYPH = 'https://p\u0430ypal.com/login'

/**
 * The site over a chain on which a weekly plan has been paid once, and failed once; and a plan of somebody who means
 * harm.
 */
export async function useSiteGround() {
  const site = await useSite()
  const { chain, protocol } = site
  const { alice, bob, carol, dave, provider, keeper } = chain.wallets
  const weekly = await protocol.create({ dueDay: 3 })
  const description = 'A bag of coffee every week'
  await protocol.send(provider, 'editDetails', [
    { url: 'https://coffee.example/weekly', description },
    weekly.id,
  ])
  const profile = {
    company: 'Coffee House',
    description: 'Roasters',
    url: 'https://coffee.example',
    misc: '',
  }
  await protocol.send(provider, 'editProvDetails', [
    { ...profile, domain: 'coffee.example', email: 'hello@coffee.example' },
  ])
  await protocol.join(weekly, alice)
  // Enough for the first charge and not for another.
  await protocol.join(weekly, bob, { balance: 10_000_000n, allowance: 10_000_000n })

  const hostile = await protocol.create({ provider: carol, dueDay: 4 })
  await protocol.send(carol, 'editDetails', [{ url: HOMOGLYPH, description: HOSTILE }, hostile.id])
  await protocol.send(carol, 'editProvDetails', [
    {
      company: HOSTILE,
      description: HOSTILE,
      url: 'javascript:alert(1)',
      domain: HOSTILE.slice(0, 200),
      email: '"><b>x</b>@evil.example',
      misc: HOSTILE,
    },
  ])
  await protocol.join(hostile, dave)

  await chain.advanceDays(2)
  await protocol.send(keeper, 'remit', [])
  // `remit` finishes one day: the due day may take another call.
  await chain.advanceDays(1)
  await protocol.send(keeper, 'remit', [])
  return { ...site, weekly, hostile, paid: () => paymentOf(site.service.url, weekly.id) }
}

const Events = z.object({
  events: z.array(z.object({ eventName: z.string(), transactionHash: z.string(), logIndex: z.int() })),
})

/** Where the receipt of the plan's newest payment is. */
async function paymentOf(url: string, id: Hex): Promise<string> {
  const response = await fetch(`${url}/subscriptions/${id}/history`)
  const { events } = Events.parse(await response.json())
  const paid = events.find(({ eventName }) => eventName === 'ProviderPaid')
  return `/receipts/${paid?.transactionHash}/${paid?.logIndex}`
}
