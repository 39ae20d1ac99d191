import { useEffect, useMemo } from 'preact/hooks'
import { Failed } from '../../design/State.tsx'
import { asked } from '../../page/Resource.ts'

/** How often usage is read. Each reading costs the session a request, and the key nothing. */
const EVERY_MS = 10_000

/** What the limits are called on the page, by the service's names. The daily ones begin anew at midnight UTC. */
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

/** One limit of a key: how many requests it has used, of how many. Both are missing until they are read. */
interface Limit {
  readonly name: string
  readonly used?: number
  readonly limit?: number
}

/** From this share on a meter warns. */
const HIGH = 0.8

/** How much of each limit a key has used, read anew every few seconds while the page is in sight. @param id the key's, not the key */
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
              high={(limit ?? 1) * HIGH}
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
