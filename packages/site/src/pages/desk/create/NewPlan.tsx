import { signal } from '@preact/signals'
import type { ApprovedToken } from '@remit/client'
import { dateOf } from '@remit/protocol/calendar'
import { dueDayRange, isFrequency } from '@remit/protocol/subscription'
import { openDeed } from '../../../deed/DeedDialog.tsx'
import { Button } from '../../../design/Button.tsx'
import { Card } from '../../../design/Card.tsx'
import { Field } from '../../../design/Field.tsx'
import { Empty, Shown } from '../../../design/State.tsx'
import { chainNow, live } from '../../../page/live.ts'
import { isMine } from '../../../subject/subject.ts'
import { chainText } from '../../../words/chainText.ts'
import { symbolOf } from '../../../words/money.ts'
import { strangersText } from '../../../words/strangersText.ts'
import { dayWords } from '../../../words/time.ts'
import { DetailFields } from '../DetailFields.tsx'
import { createDeed } from './createDeed.tsx'
import { Preview } from './Preview.tsx'
import { type Draft, firstDueDay, type Ground, inToken, previewOf } from './preview.ts'

const state = live('state', 'getProtocolState')
const tokens = live('tokens', 'listApprovedTokens')

/** Keeps what was typed while a wallet is being connected, which renders the page again. */
const draft = signal<Draft>({ amount: '10', frequency: 1, dueDay: 1 })
const chosen = signal<string | undefined>(undefined)
const words = signal({ url: '', description: '' })
const published = signal(0)

/** A plan to be, with what it means beside it. It can be tried without a wallet. */
export function NewPlan() {
  return (
    <Card title={isMine.value ? 'Publish a plan' : 'Try out a plan'}>
      <Shown of={tokens} lines={10}>
        {({ tokens: rows }) => {
          const open = rows.filter(({ paused }) => !paused)
          return open.length === 0 ? (
            <Empty title="No token can be used now.">
              <p>The protocol has approved none, or has paused all of them. Come back later.</p>
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
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const

interface FormProps {
  readonly tokens: readonly ApprovedToken[]
  readonly today: number
  readonly ground: Ground
}

function Form({ tokens, today, ground }: FormProps) {
  const token = tokens.find(({ address }) => address === chosen.value) ?? tokens[0]
  if (token === undefined) return null
  const set = (change: Partial<Draft>) => {
    draft.value = { ...draft.value, ...change }
  }
  const known = previewOf(draft.value, token, ground)
  const problem = (field: 'amount' | 'dueDay') =>
    known.ok || known.field !== field ? undefined : known.message
  const { frequency, dueDay, amount } = draft.value
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
        if (!known.ok || !event.currentTarget.reportValidity()) return
        // As the preview shows it: the preview reads "010" as a number, but the service refuses it.
        const exact = inToken(known.preview.amountRaw, token)
        openDeed({
          ...createDeed(
            { amount: exact, token: token.address, details: words.peek(), frequency, dueDay },
            token,
          ),
          onDone() {
            words.value = { url: '', description: '' }
            published.value += 1
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
                  if (isFrequency(next))
                    set({ frequency: next, dueDay: Math.min(dueDay, dueDayRange(next).max) })
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
            hint={problem('dueDay') === undefined ? dayHint(draft.value, today) : undefined}
            error={problem('dueDay')}
          >
            {(control) =>
              frequency === 0 ? (
                <select
                  {...control}
                  value={String(dueDay)}
                  onChange={({ currentTarget }) => set({ dueDay: Number(currentTarget.value) })}
                >
                  {WEEKDAYS.map((name, index) => (
                    <option key={name} value={String(index + 1)}>
                      {name}
                    </option>
                  ))}
                </select>
              ) : (
                <input
                  {...control}
                  type="number"
                  min={1}
                  max={dueDayRange(frequency).max}
                  value={Number.isNaN(dueDay) ? '' : dueDay}
                  onInput={({ currentTarget }) => set({ dueDay: currentTarget.valueAsNumber })}
                />
              )
            }
          </Field>
        </div>
        <DetailFields details={words.peek()} />
        {isMine.value ? (
          <Button type="submit" kind="primary" isWide isOff={!known.ok}>
            Review …
          </Button>
        ) : (
          <p class="quiet">Connect your wallet to publish it.</p>
        )}
      </div>
      <Preview known={known} draft={draft.value} token={token} today={today} ground={ground} />
    </form>
  )
}

const DAY_LABELS = ['Day of the week', 'Day of the month', 'Day of the quarter', 'Day of the year'] as const

/** Which day that is: a day of a year is a number that nobody knows by heart. */
function dayHint(draft: Draft, today: number): string {
  const first = firstDueDay(draft, today)
  if (first === undefined) return ''
  const next = `First on ${dayWords({ dayNumber: first, date: dateOf(first) })}.`
  return draft.frequency === 1 ? `1 to 28, which every month has. ${next}` : next
}
