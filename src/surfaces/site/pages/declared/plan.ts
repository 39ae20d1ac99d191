import * as z from 'zod'
import { definePage, type PageReads } from '../definePage.ts'
import { dateOf, profilesOf, startOf } from './lists.ts'

const Found = z.object({
  subscription: z.object({
    provider: z.string(),
    frequency: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
  }),
})

/** How far back its payments are shown, and by what: a year and a half of months says little of a weekly plan. */
const LOOK_BACK = {
  0: { days: 182, interval: 'week' },
  1: { days: 365, interval: 'month' },
  2: { days: 730, interval: 'month' },
  3: { days: 1_825, interval: 'month' },
} as const

export const plan = definePage({
  name: 'plan',
  path: '/plans/:id',
  title: 'A plan',
  description: 'The terms of a plan, its next due days, and every payment so far.',
  reads: ({ path: { id } }) => ({
    plan: { operation: 'get_subscription', input: { id } },
    details: { operation: 'get_subscription_details', input: { id } },
    history: { operation: 'get_subscription_history', input: { id, first: 10 } },
  }),
  readsNext({ plan }, { path: { id } }, { today }): PageReads {
    const found = Found.safeParse(plan?.body)
    if (!found.success) return {}
    const { subscription } = found.data
    const profile = profilesOf([subscription])
    if (today === null) return profile
    const { days, interval } = LOOK_BACK[subscription.frequency]
    const input = { id, from: dateOf(startOf(interval, today - days)), to: dateOf(today + 1), interval }
    return { ...profile, revenue: { operation: 'get_subscription_revenue', input } }
  },
  subject: 'plan',
})
