import './page.css'
import type { GetStatusAnswer } from '@remit/client'
import { Card } from '../../design/Card.tsx'
import { Freshness } from '../../design/frame/Freshness.tsx'
import { Shown } from '../../design/State.tsx'
import { root } from '../../page/api.ts'
import { live } from '../../page/live.ts'
import { pageData } from '../../page/pageData.ts'
import { Incidents } from './Incidents.tsx'
import { deliveryRow, indexRow, nodeRow, type PartRow } from './parts.ts'

const found = live('status', 'getStatus')

const VERDICTS: Readonly<Record<string, readonly [PartRow['kind'], string]>> = {
  ok: ['good', 'Everything works'],
  degraded: ['bad', 'Something does not work as it should'],
  disabled: ['mind', 'The API is switched off'],
}

/** How the service and its chains are, in one look, and what went wrong lately. */
export function Page() {
  return (
    <div class="status">
      <Shown of={found} lines={12}>
        {(status) => <Standing status={status} />}
      </Shown>
    </div>
  )
}

function Standing({ status }: { readonly status: GetStatusAnswer }) {
  const [kind, words] = VERDICTS[status.status] ?? [
    'mind',
    'The service is in a state that this page does not know',
  ]
  const deliveries = deliveryRow(status)
  return (
    <>
      <header class={`status__verdict status__verdict--${kind}`}>
        <Mark kind={kind} />
        <h1>{words}</h1>
        <Freshness />
      </header>
      {status.chains.map((chain) => (
        <Card key={chain.chainId} title={nameOf(chain.chainId)}>
          <Parts rows={[nodeRow(chain), ...indexRow(chain)]} />
        </Card>
      ))}
      <Card title="Deliveries">
        <Parts rows={[deliveries]} />
      </Card>
      <Incidents status={status} nameOf={nameOf} />
      <p class="quiet">
        The same for programs: <a href={`${root}/api/status`}>as JSON</a>. For the operator:{' '}
        <a href={`${root}/docs/alarms`}>what each alarm means</a>.
      </p>
    </>
  )
}

function Parts({ rows }: { readonly rows: readonly PartRow[] }) {
  return (
    <ul class="status__parts">
      {rows.map(({ name, kind, state, words, percent }) => (
        <li key={name}>
          <Mark kind={kind} />
          <div>
            <p class="status__part">
              <strong>{name}</strong> <span class={`status__state status__state--${kind}`}>{state}</span>
            </p>
            <p class="quiet">{words}</p>
            {percent === undefined ? null : (
              <progress
                class="status__progress"
                max={100}
                value={percent}
                aria-label={`${name}: read so far`}
              />
            )}
          </div>
        </li>
      ))}
    </ul>
  )
}

/** A mark for each state. The shapes differ, for those who do not see the colours. */
function Mark({ kind }: { readonly kind: PartRow['kind'] }) {
  const shapes = {
    good: 'm5.5 10.2 3 3 6-6.4',
    mind: 'M10 5.5v5.5M10 14v.2',
    bad: 'm6.8 6.8 6.4 6.4m0-6.4-6.4 6.4',
  }
  return (
    <svg
      class={`status__mark status__mark--${kind}`}
      width="20"
      height="20"
      viewBox="0 0 20 20"
      aria-hidden="true"
    >
      <circle cx="10" cy="10" r="10" />
      <path d={shapes[kind]} />
    </svg>
  )
}

function nameOf(chainId: number): string {
  return pageData.chains.find((chain) => chain.chainId === chainId)?.name ?? `Chain ${chainId}`
}
