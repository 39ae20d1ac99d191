import type { GetSubscribersAnswer, Subscription } from '@remit/client'
import { useEffect, useMemo } from 'preact/hooks'
import { openDeed } from '../../deed/DeedDialog.tsx'
import { Address } from '../../design/Address.tsx'
import { Button } from '../../design/Button.tsx'
import { Money } from '../../design/Money.tsx'
import { Pages } from '../../design/Pages.tsx'
import { Shown } from '../../design/State.tsx'
import { Table } from '../../design/Table.tsx'
import { Term } from '../../design/Term.tsx'
import { api } from '../../page/api.ts'
import { chainNow } from '../../page/live.ts'
import { asked, type Resource } from '../../page/Resource.ts'
import { isMine } from '../../subject/subject.ts'
import { removeDeed } from './deeds.tsx'

const PAGE = 25

/** Who subscribes to a plan, a page at a time. A new block begins the list again. */
export function Subscribers({ plan }: { readonly plan: Subscription }) {
  const block = chainNow.value?.block?.blockNumber
  const first = useMemo(() => firstPage(plan.id), [plan.id])
  useEffect(() => void first.refresh(block), [first, block])
  const atBlock: Resource<GetSubscribersAnswer> = {
    get value() {
      return first.value
    },
    refresh: () => first.refresh(block),
  }
  return (
    <Shown of={atBlock} lines={4}>
      {(answer) =>
        answer.subscribers.length === 0 ? (
          <p>Nobody subscribes to it now. Share its link.</p>
        ) : (
          <Pages
            first={answer}
            more="Show more"
            read={(after) =>
              api.getSubscribers({ id: plan.id, first: PAGE, after: addressIn(after), minBlock: block })
            }
          >
            {(pages) => (
              <SubscriberTable plan={plan} rows={pages.flatMap(({ subscribers }) => subscribers)} />
            )}
          </Pages>
        )
      }
    </Shown>
  )
}

interface SubscriberTableProps {
  readonly plan: Subscription
  readonly rows: GetSubscribersAnswer['subscribers']
}

function SubscriberTable({ plan, rows }: SubscriberTableProps) {
  return (
    <Table
      caption="Subscribers of this plan"
      rows={rows}
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
  )
}

function firstPage(id: Subscription['id']): Resource<GetSubscribersAnswer> {
  return asked('getSubscribers', { id, first: PAGE })
}

/** Safe: the cursor of this list is an address, and the service refuses anything else. */
function addressIn(cursor: string) {
  return cursor as `0x${string}`
}
