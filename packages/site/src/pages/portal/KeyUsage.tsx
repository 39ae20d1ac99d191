import { useEffect, useMemo } from 'preact/hooks'
import { Failed } from '../../design/State.tsx'
import { asked } from '../../page/Resource.ts'

/** How often usage is read. Each reading costs the session a request, and the key nothing. */
const EVERY_MS = 10_000

/** By the service's names of the limits. */
const NAMES: Readonly<Record<string, string>> = {
  globalRpm: 'Requests a minute',
  expensiveRpm: 'Searches and histories a minute',
  subgraphDaily: 'Searches and histories today',
  writeRpm: 'Prepared transactions a minute',
  writeDaily: 'Prepared transactions today',
  dailyTotalRequests: 'All requests today',
}

/** A placeholder as high as the numbers, so that nothing moves when they come. */
const UNKNOWN: readonly Limit[] = Object.keys(NAMES).map((name) => ({ name }))

interface Limit {
  readonly name: string
  readonly used?: number
  readonly limit?: number
}

/** How much of each limit a key has used. It follows while the page is looked at. */
export function KeyUsage({ id }: { readonly id: string }) {
  const usage = useMemo(() => asked('getKeyUsage', { id }), [id])
  useEffect(() => {
    void usage.refresh()
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void usage.refresh()
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [usage])
  const known = usage.value
  if (known.state === 'failed') return <Failed error={known.error} retry={() => void usage.refresh()} />
  const limits: readonly Limit[] = known.state === 'there' ? known.answer.limits : UNKNOWN
  return (
    <dl class="portal__usage" aria-busy={known.state === 'loading'}>
      {limits.map(({ name, used = 0, limit }) => (
        <div key={name}>
          <dt>{NAMES[name] ?? name}</dt>
          <dd>
            <meter
              min={0}
              max={limit ?? 1}
              value={used}
              high={(limit ?? 1) * 0.8}
              aria-label={NAMES[name] ?? name}
            />
            <span>{limit === undefined ? '…' : `${written(used)} of ${written(limit)}`}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

const written = (count: number) => count.toLocaleString('en')
