import { signal } from '@preact/signals'
import type { GetProviderOutlookAnswer } from '@remit/client'
import { Button } from '../../../design/Button.tsx'
import { Failed } from '../../../design/State.tsx'
import { DueDay, When } from '../../../design/When.tsx'
import { promptApi } from '../../../page/api.ts'
import type { Known } from '../../../page/Resource.ts'
import { TroubledTable } from '../../../plan/TroubledTable.tsx'
import { subject } from '../../../subject/subject.ts'

/** As many as are shown. */
const ROWS = 10

const fresh = signal<{ readonly of: string; readonly known: Known<GetProviderOutlookAnswer> } | undefined>(
  undefined,
)

async function read(days: number): Promise<void> {
  const address = subject.peek()
  if (address === undefined) return
  fresh.value = { of: address, known: { state: 'loading' } }
  const show = (known: Known<GetProviderOutlookAnswer>) => {
    if (fresh.peek()?.of === address) fresh.value = { of: address, known }
  }
  try {
    const answer = await promptApi.getProviderOutlook({ address, days, first: ROWS, fresh: true })
    show({ state: 'there', answer, isStale: false })
  } catch (error) {
    show({ state: 'failed', error })
  }
}

/**
 * Reads the members' wallets from the chain when somebody asks for it: what stands above may be hours old.
 * @param days how far to look ahead, as above
 */
export function FreshBalances({ days }: { readonly days: number }) {
  const known = fresh.value?.of === subject.value ? fresh.value?.known : undefined
  const again = () => void read(days)
  return (
    <div class="stack-small">
      <p class="row">
        <Button isSmall isOff={known?.state === 'loading'} onClick={again}>
          {known?.state === 'loading' ? 'Reading their wallets …' : 'Read their wallets now'}
        </Button>
        <span class="quiet">
          You can do this a few times in a minute. “Refresh” above shows what was read before, as often as you
          like.
        </span>
      </p>
      {known?.state === 'failed' ? <Failed error={known.error} retry={again} /> : null}
      {known?.state === 'there' ? <Read answer={known.answer} /> : null}
    </div>
  )
}

function Read({ answer }: { readonly answer: GetProviderOutlookAnswer }) {
  const { troubled, total, from, through, verdicts, asOf } = answer
  // What was short before and is not any more is among them.
  const rows = troubled.filter(({ outcome }) => outcome === 'fails' || outcome === 'waits')
  return (
    <div class="stack-small" role="status">
      <p>
        Their wallets <When at={new Date(asOf.timestamp * 1000)} />:{' '}
        {rows.length === 0 ? (
          <>
            all {verdicts.unread === 0 ? '' : 'that were read '}can pay what is due through{' '}
            <DueDay day={through} />.
          </>
        ) : (
          <>
            these will not pay by <DueDay day={through} today={from.dayNumber} />
            {total > troubled.length ? `, the first of ${total.toLocaleString('en')}` : ''}.
          </>
        )}
      </p>
      {verdicts.unread === 0 ? null : (
        <p class="quiet">{verdicts.unread.toLocaleString('en')} more could not be read now.</p>
      )}
      {rows.length === 0 ? null : <TroubledTable rows={rows} today={from.dayNumber} />}
    </div>
  )
}
