import * as z from 'zod'
import { definePage } from '../definePage.ts'
import { detailsOf, profilesOf } from './lists.ts'

const Found = z.object({ subscription: z.object({ id: z.string(), provider: z.string() }) })

export const receipt = definePage({
  name: 'receipt',
  path: '/receipts/:txHash/:logIndex',
  title: 'A receipt',
  description: 'One payment: who paid whom for which day, and where it stands on the chain.',
  reads: ({ path }) => ({ payment: { operation: 'get_payment', input: { ...path } } }),
  readsNext({ payment }) {
    const found = Found.safeParse(payment?.body)
    if (!found.success) return {}
    const rows = [found.data.subscription]
    return { ...profilesOf(rows), ...detailsOf(rows) }
  },
  subject: 'payment',
})
