import { LANES } from '@remit/service/testing/configuration/variables/limits'
import type { Address } from 'viem'
import { type SitePageVisit, type SiteVisit, useSite } from '../../support/browser/useSite.ts'

/** What a provider writes who hopes that a page takes it for markup. */
export const MARKUP = '<img src=x onerror="alert(1)"><b>Sign</b> everything'

const { free } = LANES

/**
 * The subscribe page over a chain on which it is Monday, with a weekly plan of 10 USDC that is due on Wednesdays. Each
 * visitor has an address of their own and SPEC's own limit of two prepares a minute.
 */
export async function useSubscribePage() {
  const site = await useSite({
    TRUSTED_PROXIES: '127.0.0.1',
    [free.writeRpm.name]: String(free.writeRpm.fallback),
  })
  const { chain, protocol } = site
  const { provider, keeper } = chain.wallets
  const { usdc } = chain.tokens
  const weekly = await protocol.create({ dueDay: 3 })
  const details = {
    url: 'https://coffee.example/weekly',
    description: `A bag of coffee every week ${MARKUP}`,
  }
  await protocol.send(provider, 'editDetails', [details, weekly.id])
  const profile = {
    description: 'Roasters since this spring',
    company: 'Coffee House \u202e',
    url: 'https://coffee.example',
    domain: 'coffee.example',
    email: 'hello@coffee.example',
    misc: '',
  }
  await protocol.send(provider, 'editProvDetails', [profile])

  let visitors = 0
  /** Opens a page of the site as a visitor with an address of their own. */
  async function visit(path: string, { look = {}, ...rest }: SiteVisit = {}): Promise<SitePageVisit> {
    visitors += 1
    const extraHTTPHeaders = { 'X-Forwarded-For': `10.0.0.${visitors}` }
    return site.visit(path, { ...rest, look: { ...look, extraHTTPHeaders } })
  }

  return {
    ...site,
    site,
    weekly,
    visit,
    /** The plan's page, with these wallets in the browser. */
    open: (
      wallets: SiteVisit['wallets'] = [],
      more: Omit<SiteVisit, 'wallets'> & { query?: string; id?: string } = {},
    ) => {
      const { query = '', id = weekly.id, ...others } = more
      return visit(`/subscribe/${id}${query}`, { ...others, wallets })
    },
    fund: (account: Address) => protocol.fund(usdc, account, { balance: 1_000_000_000n }),
    /** Lets the next Wednesday come, and everything be collected that is due. */
    async collect() {
      const weekDay = ((Math.floor((await chain.now()) / 86_400) + 3) % 7) + 1
      await chain.advanceDays((weekly.dueDay - weekDay + 7) % 7 || 7)
      await protocol.send(keeper, 'remit', [])
    },
  }
}
