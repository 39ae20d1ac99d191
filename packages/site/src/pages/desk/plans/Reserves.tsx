import type { Subscription } from '@remit/client'
import { Shown } from '../../../design/State.tsx'
import { Address } from '../../../design/values/Address.tsx'
import { ExactMoney } from '../../../design/values/Money.tsx'
import { Table } from '../../../design/values/Table.tsx'
import { api } from '../../../page/api.ts'
import { planTexts } from '../../../plan/planTexts.ts'
import { CsvButton } from '../../../spreadsheet/CsvButton.tsx'
import { planName } from '../../../words/planName.ts'
import { InReserves, PAGE, useReserves } from './Held.tsx'

/** Who is still in a cancelled plan, each with what is in reserve, and all of them as a file. It is asked for when it is shown. */
export function Reserves({ plan }: { readonly plan: Subscription }) {
  const { id, token } = plan
  const found = useReserves(plan)
  return (
    <div class="stack">
      <InReserves of={found.value} />
      <Shown of={found} lines={4}>
        {(answer) => (
          <>
            <Table
              caption="Reserves of a cancelled plan"
              rows={answer.subscribers}
              keyOf={({ subscriber }) => subscriber}
              columns={[
                { title: 'Member', isName: true, cell: ({ subscriber }) => <Address address={subscriber} /> },
                {
                  title: 'In reserve',
                  isNumber: true,
                  cell: ({ feeBalance: { amount } }) => <ExactMoney amount={amount} token={token} />,
                },
              ]}
            />
            {answer.hasMore ? <p class="quiet">The first {PAGE}. The file has all.</p> : null}
          </>
        )}
      </Shown>
      <CsvButton
        what="Reserves"
        name={`reserves-${id}`}
        columns={[
          ['member', ({ subscriber }) => subscriber],
          ['plan', () => planName(plan, planTexts(plan))],
          ['plan id', () => id],
          ['in reserve', ({ feeBalance }) => feeBalance.amount],
          ['currency', () => token.symbol ?? ''],
        ]}
        rowsOf={() => api.each.getSubscribers({ id, first: PAGE })}
      />
    </div>
  )
}
