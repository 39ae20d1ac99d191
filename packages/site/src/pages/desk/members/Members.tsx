import { useSignal } from '@preact/signals'
import type { AccountSubscription, ListProviderMembersAnswer, Member } from '@remit/client'
import { LinkButton } from '../../../design/Button.tsx'
import { Card } from '../../../design/Card.tsx'
import { later } from '../../../design/later.tsx'
import { Empty, Failed, Shown } from '../../../design/State.tsx'
import { api, linkTo } from '../../../page/api.ts'
import { answerNow, isReading, live, queryNow, readFailure } from '../../../page/live.ts'
import { planTexts } from '../../../plan/planTexts.ts'
import type { CsvColumn } from '../../../spreadsheet/csv.ts'
import { isMine, subject } from '../../../subject/subject.ts'
import { firstWords, planName } from '../../../words/planName.ts'
import { REASON_WORDS } from '../../../words/reasonWords.ts'
import type { Day } from '../../../words/time.ts'
import { CsvFile } from '../CsvFile.tsx'
import { RecordBehind } from '../RecordBehind.tsx'
import { TablePages } from '../TablePages.tsx'
import { nextPage, placesWords, previousPage, readTable, rowsBefore } from '../tablePlace.ts'
import { MemberTable } from './MemberTable.tsx'

const members = live('members', 'listProviderMembers')

const dateIn = (day: Day | null) => day?.date ?? ''

/** The columns of the file. It has all members, whichever the table shows. */
const COLUMNS: readonly CsvColumn<Member>[] = [
  ['member', ({ subscriber }) => subscriber],
  ['plan', ({ description }) => firstWords(description ?? '') ?? ''],
  ['plan id', ({ subscription }) => subscription.id],
  ['price', ({ subscription }) => subscription.amount],
  ['currency', ({ subscription }) => subscription.token.symbol ?? ''],
  ['since', ({ formattedSubscribedAt }) => formattedSubscribedAt.toISOString()],
  ['paid through', ({ paidThrough }) => dateIn(paidThrough)],
  ['next payment', ({ nextCharge }) => dateIn(nextCharge)],
  ['expected', ({ nextCharge }) => nextCharge?.outcome ?? ''],
  ['will fail on', ({ trouble }) => dateIn(trouble)],
  ['why', ({ trouble }) => (trouble === null ? '' : (REASON_WORDS[trouble.reason] ?? trouble.reason))],
]

/** A chunk of its own: it is the table of payments, which the present members are shown without. */
const Left = later(async () => (await import('../payments/Payments.tsx')).Left)

/** Who subscribes to the provider's plans, whichever plan it is, or who did and has left. */
export function Members() {
  const hasLeft = queryNow.value.left !== undefined
  const which = (
    <nav class="desk__sections" aria-label="Which members">
      {[undefined, 'true'].map((left) => (
        <a
          key={left}
          href={linkTo('/desk/members', { address: subject.value, left })}
          aria-current={hasLeft === (left !== undefined) ? 'page' : undefined}
        >
          {left === undefined ? 'Now' : 'Who left'}
        </a>
      ))}
    </nav>
  )
  if (hasLeft) return <Left>{which}</Left>
  return (
    <Card
      title="Members"
      beside={
        <CsvFile
          what="Members"
          columns={COLUMNS}
          rowsOf={(address) => api.each.listProviderMembers({ address, first: 500 })}
        />
      }
    >
      <div class="stack">
        {which}
        <Filters />
        {readFailure.value === undefined || members.value.state === 'failed' ? null : (
          <Failed error={readFailure.value} retry={() => void members.refresh()} />
        )}
        <Shown of={members} lines={12}>
          {(answer) => <Found answer={answer} />}
        </Shown>
      </div>
    </Card>
  )
}

/** A page of the members that the filters have found, or why there is none. */
function Found({ answer }: { readonly answer: ListProviderMembersAnswer }) {
  const { members: rows, total, nextCursor, index } = answer
  const { subscriber, subscriptionId, first, sort, order } = queryNow.value
  if (rows.length === 0) {
    return subscriber !== undefined || subscriptionId !== undefined ? (
      <Empty
        title={
          subscriber === undefined
            ? 'Nobody subscribes to this plan now.'
            : `No member’s address contains “${subscriber}”.`
        }
      />
    ) : (
      <Empty title="Nobody subscribes now.">
        <p>Send a plan’s link to somebody. Who subscribes is listed here.</p>
        {hasKept() ? <p>The members of cancelled plans, and their reserves, are under “Plans”.</p> : null}
        {isMine.value ? (
          <LinkButton href={linkTo('/desk/plans', { address: subject.value })}>Your plans</LinkButton>
        ) : null}
      </Empty>
    )
  }
  // `undefined` where a link led right to this page, so that nobody knows how many rows stand before it.
  const start = rowsBefore()
  const people = new Set(rows.map((row) => row.subscriber)).size
  // A row is a subscription, and one member may have several. How many members there are is known only if all rows are on this page.
  const who =
    rows.length === total && people < total ? `, ${people} ${people === 1 ? 'member' : 'members'}` : ''
  const shown =
    start === undefined
      ? `${rows.length} of ${count(total)}`
      : `${placesWords(start, rows.length)} of ${count(total)}${who}`
  return (
    <>
      <RecordBehind of="members" index={index} />
      <MemberTable
        rows={rows}
        sorting={{ sort: sort ?? 'trouble', order: order === 'desc' ? 'desc' : 'asc' }}
        onSort={(by, next) => readTable({ sort: by, order: next })}
      />
      <TablePages
        shown={shown}
        size={first}
        isReading={isReading.value}
        previous={previousPage()}
        next={nextPage(nextCursor, rows.length)}
        setSize={(size) => readTable({ first: size })}
      />
    </>
  )
}

/** Whether a cancelled plan still keeps reserves of members. */
function hasKept(): boolean {
  const { subscriptions = [] } = answerNow('plans', 'getAccountSubscriptions') ?? {}
  return subscriptions.some(
    ({ subscription, totalSubscribers }) => subscription.cancelled && totalSubscribers > 0,
  )
}

/** What an address, its beginning or a part of it looks like. */
const SEARCHABLE = /^(?:0x[0-9a-f]*(?:…[0-9a-f]+)?|[0-9a-f]+)$/i

/** The filters and the order of the table. A search for what cannot be part of an address is not sent. */
function Filters() {
  const { subscriber = '', subscriptionId = '', sort = 'trouble' } = queryNow.value
  const problem = useSignal<string | undefined>(undefined)
  const check = (text: string) => {
    const wanted = text.trim().replace('...', '…')
    problem.value =
      wanted === '' || SEARCHABLE.test(wanted)
        ? undefined
        : 'An address has only digits and the letters a to f, such as 0x7099.'
    return wanted
  }
  const search = (text: string) => {
    const wanted = check(text)
    if (problem.value === undefined && wanted !== (queryNow.peek().subscriber ?? '')) {
      readTable({ subscriber: wanted })
    }
  }
  return (
    <search>
      <form
        class="desk__filters"
        onSubmit={(event) => {
          event.preventDefault()
          search(String(new FormData(event.currentTarget).get('subscriber') ?? ''))
        }}
      >
        <label>
          <span class="field__label">Address</span>
          <input
            class="input"
            name="subscriber"
            type="search"
            autocomplete="off"
            spellcheck={false}
            maxLength={42}
            placeholder="0x…, or a part of it"
            defaultValue={subscriber}
            aria-invalid={problem.value === undefined ? undefined : 'true'}
            aria-describedby="members-problem"
            onInput={({ currentTarget }) => check(currentTarget.value)}
            onChange={({ currentTarget }) => search(currentTarget.value)}
          />
        </label>
        <label>
          <span class="field__label">Plan</span>
          <select
            class="input"
            value={subscriptionId}
            onChange={({ currentTarget }) => readTable({ subscriptionId: currentTarget.value })}
          >
            <option value="">All plans</option>
            {choices(subscriptionId).map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="field__label">Show first</span>
          <select
            class="input"
            value={sort}
            onChange={({ currentTarget }) => {
              const by = currentTarget.value
              readTable({ sort: by, order: by === 'subscribedAt' ? 'desc' : 'asc' })
            }}
          >
            <option value="trouble">Who will not pay</option>
            <option value="nextCharge">Who pays next</option>
            <option value="subscribedAt">The newest</option>
            <option value="subscriber">By address</option>
          </select>
        </label>
        <span class="field__error desk__problem" id="members-problem" role="alert">
          {problem.value}
        </span>
      </form>
    </search>
  )
}

/** The plans to choose from: those that are not cancelled, and the chosen one in any case. */
function choices(chosen: string): { readonly id: string; readonly name: string }[] {
  const { subscriptions = [] } = answerNow('plans', 'getAccountSubscriptions') ?? {}
  const open = subscriptions.filter(({ subscription }: AccountSubscription) => !subscription.cancelled)
  const named = open.map(({ subscription }) => ({
    id: subscription.id as string,
    name: planName(subscription, planTexts(subscription)),
  }))
  const isListed = chosen === '' || named.some(({ id }) => id === chosen)
  return isListed ? named : [...named, { id: chosen, name: `${chosen.slice(0, 10)}…` }]
}

function count(total: number): string {
  return `${total.toLocaleString('en')} ${total === 1 ? 'subscription' : 'subscriptions'}`
}
