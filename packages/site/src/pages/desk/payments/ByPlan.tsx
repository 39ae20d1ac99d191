import { useSignal } from '@preact/signals'
import type { ListProviderPaymentsAnswer } from '@remit/client'
import { dateOf } from '@remit/protocol/calendar'
import type { Address } from 'viem'
import { Button } from '../../../design/Button.tsx'
import { Card } from '../../../design/Card.tsx'
import { Shown } from '../../../design/State.tsx'
import { Table } from '../../../design/values/Table.tsx'
import { api } from '../../../page/api.ts'
import { live, queryNow } from '../../../page/live.ts'
import type { Month } from '../../../page/month.ts'
import { BOOK_COLUMNS } from '../../../plan/sumColumns.tsx'
import { type PlanSums, SUM_FIELDS, sumsByPlan } from '../../../plan/sums.ts'
import type { CsvColumn } from '../../../spreadsheet/csv.ts'
import { subject } from '../../../subject/subject.ts'
import { errorWords } from '../../../words/errors.ts'
import { firstWords } from '../../../words/planName.ts'
import { CsvFile } from '../CsvFile.tsx'
import { PlanLink } from './PlanLink.tsx'

type Payment = ListProviderPaymentsAnswer['payments'][number]

const payments = live('payments', 'listProviderPayments')

/** The card of a month's sums by plan. They are added up here, and for that all payments of the month have to be read. */
export function ByPlan({ month }: { readonly month: Month }) {
  return (
    <Card
      title="By plan"
      beside={
        <CsvFile
          what="Sums by plan"
          of={month.written}
          columns={COLUMNS}
          rowsOf={(address) => rowsIn(address, month)}
        />
      }
    >
      <Shown of={payments} lines={2}>
        {(answer) => <Told key={`${subject.value}${month.written}`} answer={answer} month={month} />}
      </Shown>
    </Card>
  )
}

interface ToldProps {
  readonly answer: ListProviderPaymentsAnswer
  readonly month: Month
}

/** The sums, where the page has all payments of the month already; else a button that reads them. */
function Told({ answer, month }: ToldProps) {
  const read = useSignal<readonly PlanSums[] | undefined>(undefined)
  const said = useSignal('')
  const isWhole = answer.nextCursor === null && queryNow.value.after === undefined
  const rows = isWhole ? sumsByPlan(answer.payments) : read.value
  if (rows !== undefined) return <ByPlanTable rows={rows} />
  const addUp = async () => {
    const address = subject.peek()
    if (address === undefined) return
    said.value = 'Reading …'
    try {
      read.value = await readSums(address, month)
    } catch (error) {
      said.value = errorWords(error)
    }
  }
  return (
    <p class="row on-screen">
      <Button isSmall onClick={() => void addUp()}>
        Add up by plan
      </Button>
      <span class="quiet" role="status">
        {said.value}
      </span>
    </p>
  )
}

function ByPlanTable({ rows }: { readonly rows: readonly PlanSums[] }) {
  if (rows.length === 0) return <p class="quiet">None in this month.</p>
  return (
    <Table<PlanSums>
      caption="Sums by plan"
      rows={rows}
      keyOf={({ subscriptionId, token }) => `${subscriptionId}${token.address}`}
      columns={[{ title: 'Plan', isName: true, cell: (row) => <PlanLink row={row} /> }, ...BOOK_COLUMNS]}
    />
  )
}

/** Reads all payments of the month, and adds them up. */
async function readSums(address: Address, { fromDay, toDay }: Month): Promise<readonly PlanSums[]> {
  const days = { from: dateOf(fromDay), to: dateOf(toDay) }
  const rows: Payment[] = []
  for await (const row of api.each.listProviderPayments({ address, ...days, first: 1_000 })) rows.push(row)
  return sumsByPlan(rows)
}

async function* rowsIn(address: Address, month: Month): AsyncIterable<PlanSums> {
  yield* await readSums(address, month)
}

const COLUMNS: readonly CsvColumn<PlanSums>[] = [
  ['plan', ({ description }) => firstWords(description ?? '') ?? ''],
  ['plan id', ({ subscriptionId }) => subscriptionId],
  ...SUM_FIELDS,
]
