import type { GetStatusAnswer } from '@remit/client'
import { Badge, Card } from '../../design/Card.tsx'
import { When } from '../../design/values/When.tsx'
import { durationWords } from '../../words/time.ts'

const PARTS: Readonly<Record<string, string>> = {
  node: 'The chain did not answer',
  head: 'No new block came',
  configuration: 'The chain was not served',
  index: 'Search and history were behind',
  webhooks: 'Deliveries were behind',
}

/** What went wrong since the process that answers was started. Another process of the service may have seen more. */
export function Incidents({
  status: { incidents, formattedStartedAt },
  nameOf,
}: {
  readonly status: GetStatusAnswer
  nameOf(chainId: number): string
}) {
  return (
    <Card title="What went wrong lately">
      {incidents.length === 0 ? (
        <p>Nothing, as far as this process knows.</p>
      ) : (
        <ol class="status__incidents">
          {incidents.map(({ part, chainId, message, formattedStartedAt: from, formattedEndedAt: to }) => (
            <li key={`${part} ${chainId} ${from.getTime()}`}>
              <p class="status__part">
                <strong>
                  {PARTS[part] ?? 'Something did not work'}
                  {chainId === null ? null : `: ${nameOf(chainId)}`}
                </strong>{' '}
                {to === null ? <Badge kind="bad">Lasts</Badge> : <Badge kind="good">Over</Badge>}
              </p>
              <p>{message}</p>
              <p class="quiet">
                <When at={from} />
                {to === null ? '' : `, for ${durationWords((to.getTime() - from.getTime()) / 1000)}`}
              </p>
            </li>
          ))}
        </ol>
      )}
      <p class="quiet status__since">
        This process watches since <When at={formattedStartedAt} />.
      </p>
    </Card>
  )
}
