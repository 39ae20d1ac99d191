import { signal } from '@preact/signals'
import type { ApprovedToken } from '@remit/client'
import { civilDate, dateOf, daysInMonth } from '@remit/protocol/calendar'
import { dueDayRange, type Frequency, isFrequency } from '@remit/protocol/subscription'
import type { JSX } from 'preact'
import { Button } from '../../../design/Button.tsx'
import { Card } from '../../../design/Card.tsx'
import { Field } from '../../../design/Field.tsx'
import { Empty, Shown } from '../../../design/State.tsx'
import { chainNow, live, readOtherSubject } from '../../../page/live.ts'
import { askToSign } from '../../../signing/SigningDialog.tsx'
import { isMine, subject } from '../../../subject/subject.ts'
import { WalletChoice } from '../../../wallet/WalletButton.tsx'
import { connected } from '../../../wallet/wallet.ts'
import { chainText } from '../../../words/chainText.ts'
import { symbolOf } from '../../../words/money.ts'
import { COMMON_YEAR, WEEKDAYS } from '../../../words/schedule.ts'
import { strangersText } from '../../../words/strangersText.ts'
import { dayWords } from '../../../words/time.ts'
import { DetailFields, isReady } from '../plans/DetailFields.tsx'
import { createPlanRequest } from './createPlanRequest.tsx'
import { Preview } from './Preview.tsx'
import { type Draft, firstDueDay, type Ground, inToken, previewOf } from './preview.ts'

const state = live('state', 'getProtocolState')
const tokens = live('tokens', 'listApprovedTokens')

/** What was typed so far, with a due day for each frequency: whoever tries another frequency and comes back finds the day again. */
interface Typed extends Omit<Draft, 'dueDay'> {
  readonly days: Readonly<Record<Frequency, number>>
}

/** Keeps what was typed while a wallet is being connected, which renders the page again. */
const draft = signal<Typed>({ amount: '10', frequency: 1, days: { 0: 1, 1: 1, 2: 1, 3: 1 } })
/** The address of the chosen token; without one it is the first. */
const chosen = signal<string | undefined>(undefined)
const words = signal({ url: '', description: '' })
/** How many plans were published: with each the form begins anew. */
const published = signal(0)

/** The form for a new plan, with a preview of what it means. It can be tried without a wallet. */
export function NewPlan() {
  return (
    <Card>
      <Shown of={tokens} lines={10}>
        {({ tokens: rows }) => {
          const open = rows.filter(({ paused }) => !paused)
          return open.length === 0 ? (
            <Empty title="No token can be used now.">
              <p>The contract takes none, or has paused all of them. Come back later.</p>
            </Empty>
          ) : (
            <Shown of={state} lines={10}>
              {({ callerFee, nextUncheckedDay, currentDay, asOf }) => (
                <Form
                  key={published.value}
                  tokens={open}
                  today={chainNow.value?.today ?? currentDay.dayNumber}
                  ground={{
                    timestamp: asOf.timestamp,
                    callerFee,
                    nextUncheckedDay: nextUncheckedDay.dayNumber,
                  }}
                />
              )}
            </Shown>
          )
        }}
      </Shown>
    </Card>
  )
}

const FREQUENCIES = ['Every week', 'Every month', 'Every quarter', 'Every year'] as const

interface FormProps {
  readonly tokens: readonly ApprovedToken[]
  /** A day number, as all days here. */
  readonly today: number
  /** What of the chain's state the first charges depend on. */
  readonly ground: Ground
}

function Form({ tokens, today, ground }: FormProps) {
  const token = tokens.find(({ address }) => address === chosen.value) ?? tokens[0]
  if (token === undefined) return null
  const set = (change: Partial<Typed>) => {
    draft.value = { ...draft.value, ...change }
  }
  const { frequency, days, amount } = draft.value
  const dueDay = days[frequency]
  const setDay = (day: number) => set({ days: { ...days, [frequency]: day } })
  const typed = { amount, frequency, dueDay }
  const known = previewOf(typed, token, ground)
  const problem = (field: 'amount' | 'dueDay') => (known.ok ? undefined : known.problems[field])
  return (
    <form
      class="desk__create"
      noValidate
      onInput={({ currentTarget }) => {
        const form = new FormData(currentTarget)
        const read = (name: string) => String(form.get(name) ?? '').trim()
        words.value = { url: read('url'), description: chainText(read('description')) }
      }}
      onSubmit={(event) => {
        event.preventDefault()
        if (!known.ok || !isReady(event.currentTarget)) return
        // As the preview shows it: the preview reads "010" as a number, but the service refuses it.
        const exact = inToken(known.preview.amountRaw, token)
        askToSign({
          ...createPlanRequest(
            { amount: exact, token: token.address, details: words.peek(), frequency, dueDay },
            token,
            { ground, today },
          ),
          onDone() {
            words.value = { url: '', description: '' }
            published.value += 1
            const address = subject.peek()
            if (address !== undefined) void readOtherSubject('/desk/plans', { address })
          },
        })
      }}
    >
      <div class="stack">
        <div class="desk__pair">
          <Field
            label="Price"
            hint={problem('amount') === undefined ? 'What each payment takes.' : undefined}
            error={problem('amount')}
          >
            {(control) => (
              <input
                {...control}
                type="text"
                inputMode="decimal"
                autocomplete="off"
                value={amount}
                onInput={({ currentTarget }) => set({ amount: currentTarget.value })}
              />
            )}
          </Field>
          <Field label="Token">
            {(control) => (
              <select
                {...control}
                value={token.address}
                onChange={({ currentTarget }) => {
                  chosen.value = currentTarget.value
                }}
              >
                {tokens.map((row) => (
                  <option key={row.address} value={row.address}>
                    {strangersText(symbolOf(row), 20)}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
        <div class="desk__pair">
          <Field label="How often">
            {(control) => (
              <select
                {...control}
                value={String(frequency)}
                onChange={({ currentTarget }) => {
                  const next = Number(currentTarget.value)
                  if (isFrequency(next)) set({ frequency: next })
                }}
              >
                {FREQUENCIES.map((name, value) => (
                  <option key={name} value={String(value)}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field
            label={DAY_LABELS[frequency]}
            hint={
              problem('dueDay') === undefined
                ? dayHint(typed, Math.max(today, ground.nextUncheckedDay))
                : undefined
            }
            error={problem('dueDay')}
          >
            {(control) =>
              frequency === 0 ? (
                <select
                  {...control}
                  value={String(dueDay)}
                  onChange={({ currentTarget }) => setDay(Number(currentTarget.value))}
                >
                  {WEEKDAYS.map((name, index) => (
                    <option key={name} value={String(index + 1)}>
                      {name}
                    </option>
                  ))}
                </select>
              ) : frequency === 3 ? (
                <YearDay control={control} dueDay={dueDay} setDay={setDay} />
              ) : (
                <input
                  {...control}
                  type="number"
                  min={1}
                  max={dueDayRange(frequency).max}
                  value={Number.isNaN(dueDay) ? '' : dueDay}
                  onInput={({ currentTarget }) => setDay(currentTarget.valueAsNumber)}
                />
              )
            }
          </Field>
        </div>
        <DetailFields
          details={words.peek()}
          missing="Say what members get: without it they see only a price."
        />
        {isMine.value ? (
          <Button type="submit" kind="primary" isWide isOff={!known.ok}>
            Review …
          </Button>
        ) : (
          <>
            <p class="quiet">Connect your wallet to publish it.</p>
            {connected.value === undefined ? <WalletChoice /> : null}
          </>
        )}
      </div>
      <Preview known={known} draft={typed} token={token} today={today} ground={ground} />
    </form>
  )
}

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' })

interface YearDayProps {
  readonly control: JSX.IntrinsicElements['select']
  readonly dueDay: number
  setDay(day: number): void
}

/** Chooses the day of the year (1 to 365) as a date: nobody knows that 5 November is the 309th. */
function YearDay({ control, dueDay, setDay }: YearDayProps) {
  const at = civilDate(COMMON_YEAR + dueDay - 1)
  const last = (month: number) => daysInMonth(at.year, month)
  const set = (month: number, day: number) =>
    setDay(Date.UTC(at.year, month - 1, Math.min(day, last(month))) / 86_400_000 - COMMON_YEAR + 1)
  return (
    <span class="desk__date">
      <select
        {...control}
        aria-label="Day of that month"
        value={String(at.day)}
        onChange={({ currentTarget }) => set(at.month, Number(currentTarget.value))}
      >
        {Array.from({ length: last(at.month) }, (_, index) => (
          <option key={index}>{index + 1}</option>
        ))}
      </select>
      <select
        class="input"
        aria-label="Month"
        value={String(at.month)}
        onChange={({ currentTarget }) => set(Number(currentTarget.value), at.day)}
      >
        {Array.from({ length: 12 }, (_, index) => (
          <option key={index} value={String(index + 1)}>
            {MONTH.format(Date.UTC(at.year, index))}
          </option>
        ))}
      </select>
    </span>
  )
}

const DAY_LABELS = ['Day of the week', 'Day of the month', 'Day of the quarter', 'Day of the year'] as const

/** By the frequency. The list of weekdays needs no hint. */
const DAY_RANGES = [
  '',
  '1 to 28, which every month has.',
  '1 to 90, counted from the quarter’s first day.',
  'In leap years it is a day earlier from March on.',
] as const

/** Which days can be chosen, and the first date on which the plan would be due. @param from the first day that is not collected yet, today or later */
function dayHint(draft: Draft, from: number): string {
  const first = firstDueDay(draft, from)
  if (first === undefined) return ''
  const next = `First on ${dayWords({ dayNumber: first, date: dateOf(first) })}.`
  return `${DAY_RANGES[draft.frequency]} ${next}`
}
