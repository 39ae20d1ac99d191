import * as z from 'zod'
import { EVENT_TYPES, type EventType } from '../core/ports/events.ts'
import { CannotCompareError, type ComparedService } from './ComparedService.ts'

/** Told when a service looks, or as it saw reorganisations. */
const OF_THE_SERVICE: readonly EventType[] = [
  'token.paused',
  'token.resumed',
  'remit.behind',
  'coverage.ending',
  'payment.at_risk',
  'payment.safe_again',
  'retracted',
]

/** Events that logs alone decide. */
const TYPES = EVENT_TYPES.filter((type) => !OF_THE_SERVICE.includes(type))

const Event = z.looseObject({
  id: z.string(),
  type: z.string(),
  block: z.looseObject({ number: z.number() }),
  logIndex: z.number().nullable(),
  data: z.looseObject({ ids: z.array(z.string()).optional() }),
})
type Event = z.output<typeof Event>

const EventPage = z.object({ events: z.array(Event), hasMore: z.boolean(), next: z.number() })

/** All events of a service up to a block that no reorganisation took back, in the order of the chain. */
export async function eventsUpTo(
  block: number,
  service: ComparedService,
  { chainId }: { readonly chainId: number },
): Promise<Event[]> {
  const byId = new Map<string, Event>()
  for (let after = 0; ; ) {
    const path = `/events?type=${TYPES.join(',')}&first=100&after=${after}&chainId=${chainId}`
    const { status, body } = await service.get(path)
    const page = EventPage.safeParse(body)
    if (!page.success)
      throw new CannotCompareError(`GET ${path}: ${service.name} answers with HTTP ${status}.`)
    for (const event of page.data.events) {
      if (event.type === 'retracted') for (const id of event.data.ids ?? []) byId.delete(id)
      else byId.set(event.id, event)
    }
    if (!page.data.hasMore) break
    after = page.data.next
  }
  return [...byId.values()].filter((event) => event.block.number <= block).sort(inOrder)
}

function inOrder(a: Event, b: Event): number {
  const byPlace = a.block.number - b.block.number || (a.logIndex ?? -1) - (b.logIndex ?? -1)
  return byPlace !== 0 ? byPlace : a.id < b.id ? -1 : 1
}
