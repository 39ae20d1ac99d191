import { useSignal } from '@preact/signals'
import type { GetAccountOutlookAnswer, OutlookToken } from '@remit/client'
import { openDeed } from '../../deed/DeedDialog.tsx'
import { Button } from '../../design/Button.tsx'
import { Card, Facts, Note } from '../../design/Card.tsx'
import { Field } from '../../design/Field.tsx'
import { Money } from '../../design/Money.tsx'
import { Term } from '../../design/Term.tsx'
import { DueDay } from '../../design/When.tsx'
import { isMine } from '../../subject/subject.ts'
import { isEndless, symbolOf } from '../../words/money.ts'
import { strangersText } from '../../words/strangersText.ts'
import { extendDeed, revokeDeed } from './deeds.tsx'
import type { Membership } from './memberships.ts'

interface TokensProps {
  readonly outlook: GetAccountOutlookAnswer
  /** Those that run. */
  readonly subscriptions: readonly Membership[]
}

/** What the payments draw on, token by token. */
export function Tokens({ outlook, subscriptions }: TokensProps) {
  const { tokens } = outlook.wallet
  const shown = tokens.filter(
    ({ token, allowance }) => allowance.amountRaw > 0n || countIn(token.address, subscriptions) > 0,
  )
  if (shown.length === 0) return null
  return (
    <div class="stack">
      {shown.map((row) => (
        <Card key={row.token.address} title={<bdi>{strangersText(symbolOf(row.token), 12)}</bdi>}>
          <div class="stack">
            <Holdings row={row} through={outlook.through} count={countIn(row.token.address, subscriptions)} />
          </div>
        </Card>
      ))}
    </div>
  )
}

interface HoldingsProps {
  readonly row: OutlookToken
  readonly through: GetAccountOutlookAnswer['through']
  /** How many running subscriptions draw on it. */
  readonly count: number
}

function Holdings({ row, through, count }: HoldingsProps) {
  const { token, balance, allowance, toAdd, paused } = row
  return (
    <>
      {paused ? (
        <Note kind="mind">
          <p>The protocol has paused this token: nothing is charged in it, and what falls due is lost.</p>
        </Note>
      ) : null}
      <Facts
        rows={[
          ['In the wallet', <Money key="balance" amount={balance.amount} token={token} />],
          [
            <Term
              key="permission"
              means="How much the protocol may take from your wallet in all, for everything that you subscribe to. You set it when you subscribe. Wallets call it the allowance."
            >
              Permission
            </Term>,
            isEndless(allowance) ? (
              'without limit'
            ) : (
              <Money key="allowance" amount={allowance.amount} token={token} />
            ),
          ],
          toAdd.balance.amountRaw > 0n
            ? [
                'Money missing',
                <>
                  <Money amount={toAdd.balance.amount} token={token} />{' '}
                  <span class="quiet">
                    to pay all until <DueDay day={through} />
                  </span>
                </>,
              ]
            : undefined,
          toAdd.allowance.amountRaw > 0n
            ? [
                'Permission missing',
                <>
                  <Money amount={toAdd.allowance.amount} token={token} />{' '}
                  <span class="quiet">
                    to pay all until <DueDay day={through} />
                  </span>
                </>,
              ]
            : undefined,
        ]}
      />
      {isMine.value ? (
        <>
          {count > 0 && !isEndless(allowance) ? <Extend row={row} count={count} /> : null}
          {allowance.amountRaw > 0n ? (
            <div>
              <Button isSmall onClick={() => openDeed(revokeDeed(token, count))}>
                Take the permission back …
              </Button>
            </div>
          ) : null}
        </>
      ) : null}
    </>
  )
}

const PERIODS = [3, 6, 12, 24, 60]

function Extend({ row: { token }, count }: { readonly row: OutlookToken; readonly count: number }) {
  const periods = useSignal(12)
  return (
    <form
      class="me__extend"
      onSubmit={(event) => {
        event.preventDefault()
        openDeed(extendDeed(token, periods.value))
      }}
    >
      <Field
        label="Extend the permission to"
        hint={count === 1 ? 'It is never made smaller.' : 'For each subscription. It is never made smaller.'}
      >
        {(control) => (
          <select
            {...control}
            value={String(periods.value)}
            onChange={({ currentTarget }) => {
              periods.value = Number(currentTarget.value)
            }}
          >
            {PERIODS.map((choice) => (
              <option key={choice} value={String(choice)}>
                {choice} payments
              </option>
            ))}
          </select>
        )}
      </Field>
      <Button type="submit">Review …</Button>
    </form>
  )
}

function countIn(address: string, rows: readonly Membership[]): number {
  return rows.filter(({ subscription: { token } }) => token.address === address).length
}
