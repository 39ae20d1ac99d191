import { LANES } from '@remit/service/testing/configuration/variables/limits'
import { expect } from 'vitest'
import { type SitePageVisit, type SiteVisit, useSite } from '../../support/browser/useSite.ts'
import { expectAccessible } from '../../support/browser/watchPage.ts'

/** What somebody writes who hopes that a page takes it for markup. */
export const MARKUP = '<img src=x onerror="alert(1)"><b>Sign</b> everything'

const { free } = LANES

/** Routes of the API that take an expensive unit and that these pages could ask. */
const EXPENSIVE = /^\/(?:subscriptions\?|subscriptions\/[^/]+\/details|accounts\/[^/]+\/outlook|providers\/)/

/**
 * The pages of those who have something, over a chain on which it is Monday, with SPEC's own limit of two prepares a
 * minute. Each visitor has an address of their own, and what they ask for beside that is held against SPEC's minute:
 * the tests themselves ask more than that, from theirs.
 * @param environment of the service, beside that
 */
export async function useOwnPages(environment: Record<string, string> = {}) {
  const site = await useSite({
    TRUSTED_PROXIES: '127.0.0.1',
    [free.writeRpm.name]: String(free.writeRpm.fallback),
    ...environment,
  })
  let visitors = 0
  return {
    ...site,
    /** Opens a page of the site as a visitor with an address of their own. */
    async open(path: string, { look = {}, ...rest }: SiteVisit = {}): Promise<SitePageVisit> {
      visitors += 1
      const extraHTTPHeaders = { 'X-Forwarded-For': `10.0.1.${visitors}` }
      const visit = await site.visit(path, { ...rest, look: { ...look, extraHTTPHeaders } })
      return visit
    },
    /** Connects the wallet that the browser has. */
    async connect(visit: SitePageVisit): Promise<void> {
      await visit.page.getByRole('main').getByRole('button', { name: 'Test wallet' }).click()
    },
  }
}

/**
 * After somebody has done something: no error, axe finds nothing, and SPEC's minute would have done. What moves because
 * of what they did may move.
 */
export async function expectUsable(visit: SitePageVisit): Promise<void> {
  expect(visit.problems).toEqual([])
  await expectAccessible(visit.page)
  const asked = visit.apiCalls()
  expect(asked.length).toBeLessThan(free.globalRpm.fallback)
  const expensive = asked.filter((path) => EXPENSIVE.test(path))
  expect(expensive.length).toBeLessThanOrEqual(free.expensiveRpm.fallback)
}
