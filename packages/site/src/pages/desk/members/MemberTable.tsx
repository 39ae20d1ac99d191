import type { Member } from '@remit/client'
import { dateOf } from '@remit/protocol/calendar'
import { Menu } from '../../../design/frame/Menu.tsx'
import { Address, short } from '../../../design/values/Address.tsx'
import { type Column, Table } from '../../../design/values/Table.tsx'
import { linkTo } from '../../../page/api.ts'
import { PaidThrough } from '../../../plan/PaidThrough.tsx'
import { PlanTitle } from '../../../plan/PlanTitle.tsx'
import { describedAs } from '../../../plan/planTexts.ts'
import { askToSign } from '../../../signing/SigningDialog.tsx'
import { isMine } from '../../../subject/subject.ts'
import { dateWords } from '../../../words/time.ts'
import { Verdict } from './Verdict.tsx'

type Order = 'asc' | 'desc'

interface MemberTableProps {
  readonly rows: readonly Member[]
  readonly sorting?: { readonly sort: string; readonly order: Order }
  /** Without it the table is in the order that it has. */
  readonly onSort?: (sort: string, order: Order) => void
}

/** Members with what is known of their next payment, and what can be done with each. */
export function MemberTable({ rows, sorting, onSort }: MemberTableProps) {
  const sorts = (by: string, first: Order = 'asc'): Pick<Column<Member>, 'sort'> =>
    onSort === undefined
      ? {}
      : {
          sort: {
            order: sorting?.sort === by ? sorting.order : undefined,
            by: (order) => onSort(by, order),
            first,
          },
        }
  return (
    <Table
      caption="Members"
      rows={rows}
      keyOf={({ subscription, subscriber }) => `${subscription.id}${subscriber}`}
      columns={[
        {
          title: 'Member',
          isName: true,
          ...sorts('subscriber'),
          cell: ({ subscriber }) => <Address address={subscriber} />,
        },
        {
          title: 'Plan',
          cell: ({ subscription, description }) => (
            <PlanTitle subscription={subscription} texts={describedAs(description)} />
          ),
        },
        {
          title: 'Since',
          ...sorts('subscribedAt', 'desc'),
          cell: ({ subscribedAt }) => <Day at={Math.floor(subscribedAt / 86_400)} />,
        },
        {
          title: 'Paid through',
          cell: ({ paidThrough, nextCharge }) =>
            paidThrough === null ? (
              'for good'
            ) : (
              <PaidThrough last={paidThrough} due={nextCharge}>
                <Day at={paidThrough.dayNumber} />
              </PaidThrough>
            ),
        },
        {
          title: 'Next payment',
          ...sorts('nextCharge'),
          cell: (row) => <Verdict member={row} />,
        },
        {
          title: <span class="unseen">What can be done</span>,
          label: '',
          isMenu: true,
          cell: ({ subscriber, subscription, description, paidThrough }) => (
            <Menu
              label={short(subscriber)}
              items={[
                { name: 'Show this wallet', href: linkTo(`/wallets/${subscriber}`) },
                { name: 'Show the plan', href: linkTo(`/plans/${subscription.id}`) },
                ...(isMine.value
                  ? [
                      {
                        name: 'Remove …',
                        isGrave: true,
                        onChoose: async () => {
                          // What is asked for then is loaded then: few are removed.
                          const { removeRequest } = await import('../signingRequests.tsx')
                          askToSign(removeRequest({ subscription, description, subscriber, paidThrough }))
                        },
                      },
                    ]
                  : []),
              ]}
            />
          ),
        },
      ]}
    />
  )
}

function Day({ at }: { readonly at: number }) {
  return (
    <time dateTime={dateOf(at)} title="A day in UTC.">
      {dateWords(at)}
    </time>
  )
}
