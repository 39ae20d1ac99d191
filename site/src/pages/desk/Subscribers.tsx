import { useSignal } from '@preact/signals'
import type { GetSubscribersAnswer, Subscription } from '@remit/client'
import { useEffect } from 'preact/hooks'
import { openDeed } from '../../deed/DeedDialog.tsx'
import { Address } from '../../design/Address.tsx'
import { Button } from '../../design/Button.tsx'
import { Money } from '../../design/Money.tsx'
import { Failed, Loading } from '../../design/State.tsx'
import { Table } from '../../design/Table.tsx'
import { Term } from '../../design/Term.tsx'
import { api } from '../../page/api.ts'
import { chainNow } from '../../page/live.ts'
import type { Known } from '../../page/Resource.ts'
import { isMine } from '../../subject/subject.ts'
import { removeDeed } from './deeds.tsx'

const PAGE = 25

/** Who subscribes to a plan, a page at a time. */
export function Subscribers({ plan }: { readonly plan: Subscription }) {
  const known = useSignal<Known<GetSubscribersAnswer>>({ state: 'loading' })
  const after = useSignal<GetSubscribersAnswer['nextCursor']>(null)
  const block = chainNow.value?.block?.blockNumber
  const read = async () => {
    try {
      const input = { id: plan.id, first: PAGE, ...(block === undefined ? {} : { minBlock: block }) }
      const cursor = cursorOf(after.peek())
      const answer = await api.getSubscribers(cursor === undefined ? input : { ...input, after: cursor })
      known.value = { state: 'there', answer, isStale: false }
    } catch (error) {
      known.value = { state: 'failed', error }
    }
  }
  useEffect(() => void read(), [plan.id, block, after.value])
  const { value } = known
  if (value.state === 'loading') return <Loading lines={4} />
  if (value.state === 'failed') return <Failed error={value.error} retry={() => void read()} />
  const { subscribers, nextCursor } = value.answer
  if (subscribers.length === 0) return <p>Nobody subscribes to it now. Share its link.</p>
  return (
    <div class="stack">
      <Table
        caption="Subscribers of this plan"
        rows={subscribers}
        keyOf={({ subscriber }) => subscriber}
        columns={[
          { title: 'Subscriber', cell: ({ subscriber }) => <Address address={subscriber} /> },
          {
            title: (
              <Term means="A part of what was paid that the contract keeps to pay those who collect. Whoever you remove gets it back.">
                Put aside
              </Term>
            ),
            isNumber: true,
            cell: ({ feeBalance }) => <Money amount={feeBalance.amount} token={plan.token} />,
          },
          ...(isMine.value
            ? [
                {
                  title: <span class="unseen">What can be done</span>,
                  cell: ({ subscriber }: GetSubscribersAnswer['subscribers'][number]) => (
                    <Button isSmall kind="danger" onClick={() => openDeed(removeDeed(plan, subscriber))}>
                      Remove …
                    </Button>
                  ),
                },
              ]
            : []),
        ]}
      />
      {nextCursor === null ? null : (
        <Button
          isSmall
          onClick={() => {
            after.value = nextCursor
          }}
        >
          Show more
        </Button>
      )}
    </div>
  )
}

/** The cursor of this list is an address. */
function cursorOf(cursor: string | null): `0x${string}` | undefined {
  return cursor?.startsWith('0x') ? (cursor as `0x${string}`) : undefined
}
