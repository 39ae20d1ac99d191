import { useSignal } from '@preact/signals'
import type { GetAccountOutlookAnswer, OutlookToken, Subscription } from '@remit/client'
import { Button } from '../../design/Button.tsx'
import { Card, Facts, Note } from '../../design/Card.tsx'
import { Field } from '../../design/Field.tsx'
import { later } from '../../design/later.tsx'
import { Term } from '../../design/Term.tsx'
import { ExactMoney, Money } from '../../design/values/Money.tsx'
import { DueDay } from '../../design/values/When.tsx'
import { askToSign } from '../../signing/SigningDialog.tsx'
import { isMine } from '../../subject/subject.ts'
import { isEndless, symbolOf } from '../../words/money.ts'
import { strangersText } from '../../words/strangersText.ts'
import { extensionsOf, plansIn, WISHED_PERIODS } from './extensions.ts'
import type { Membership } from './memberships.ts'
import { extendRequest } from './signingRequests.tsx'

/** A chunk of its own: few sign a permission for somebody else to carry. */
const Waiting = later(async () => (await import('./handOver/Waiting.tsx')).Waiting)

interface TokensProps {
  readonly outlook: GetAccountOutlookAnswer
  /** Those that run. */
  readonly subscriptions: readonly Membership[]
}

/** A card for each token that payments draw on: what the wallet holds, and how much the contract may take of it. */
export function Tokens({ outlook, subscriptions }: TokensProps) {
  const { tokens } = outlook.wallet
  const shown = tokens.filter(
    ({ token, allowance }) => allowance.amountRaw > 0n || plansIn(token.address, subscriptions).length > 0,
  )
  if (shown.length === 0) return null
  return (
    <div class="stack">
      {shown.map((row) => (
        <Card key={row.token.address} title={<bdi>{strangersText(symbolOf(row.token), 12)}</bdi>}>
          <div class="stack">
            <Holdings row={row} outlook={outlook} plans={plansIn(row.token.address, subscriptions)} />
          </div>
        </Card>
      ))}
    </div>
  )
}

interface HoldingsProps {
  readonly row: OutlookToken
  readonly outlook: GetAccountOutlookAnswer
  /** The running subscriptions that draw on it. */
  readonly plans: readonly Subscription[]
}

/** What the wallet holds and allows of a token; for its owner also the ways to extend the permission or take it back. */
function Holdings({ row, outlook, plans }: HoldingsProps) {
  const { through } = outlook
  const nextUncheckedDay = outlook.remit.nextUncheckedDay.dayNumber
  const { token, balance, allowance, toAdd, paused } = row
  return (
    <>
      {paused ? (
        <Note kind="mind">
          <p>The contract has paused this token: nothing is collected in it, and what falls due is lost.</p>
        </Note>
      ) : null}
      <Facts
        rows={[
          ['In the wallet', <Money key="balance" amount={balance.amount} token={token} rounding="down" />],
          [
            <Term
              key="permission"
              means="How much the contract of the subscriptions may take from your wallet in all, for everything that you subscribe to. You set it when you subscribe. Wallets call it the allowance."
            >
              Permission
            </Term>,
            isEndless(allowance) ? (
              'without limit'
            ) : (
              <ExactMoney key="allowance" amount={allowance.amount} token={token} />
            ),
          ],
          toAdd.balance.amountRaw > 0n
            ? [
                'Still to add',
                <>
                  <Money amount={toAdd.balance.amount} token={token} rounding="up" />{' '}
                  <span class="quiet">
                    more, to keep all subscriptions through <DueDay day={through} />
                  </span>
                </>,
              ]
            : undefined,
          toAdd.allowance.amountRaw > 0n
            ? [
                'Still to allow',
                <>
                  <Money amount={toAdd.allowance.amount} token={token} rounding="up" />{' '}
                  <span class="quiet">
                    more, to keep all subscriptions through <DueDay day={through} />
                  </span>
                </>,
              ]
            : undefined,
        ]}
      />
      {isMine.value ? (
        <>
          <Waiting row={row} />
          {isEndless(allowance) ? (
            <p class="quiet">
              The contract takes only what is due, but a limit is safer. To set one, make the permission
              smaller.
            </p>
          ) : (
            <Extend row={row} plans={plans} nextUncheckedDay={nextUncheckedDay} />
          )}
          {allowance.amountRaw > 0n ? (
            <div class="stack-small">
              <Button
                isSmall
                onClick={async () => {
                  const { revokeRequest } = await import('./revokeRequest.tsx')
                  askToSign(revokeRequest(token, plans.length))
                }}
              >
                Take the permission back …
              </Button>
              {plans.length === 0 ? null : (
                <p class="quiet">
                  Taking it back ends all that is paid in this token, each at its next payment. “Leave” ends
                  one subscription alone, at once. To make the permission smaller, take it back: “Allow
                  payments again” stands here then. Choose fewer there before the next payment is due. A
                  payment that is collected in between fails.
                </p>
              )}
            </div>
          ) : null}
        </>
      ) : null}
    </>
  )
}

interface ExtendProps {
  readonly row: OutlookToken
  readonly plans: readonly Subscription[]
  /** The first day that is not collected yet, as a day number: the payments are counted from it. */
  readonly nextUncheckedDay: number
}

/** The form that extends a permission. Nothing where it is enough for the longest choice already. */
function Extend({ row, plans, nextUncheckedDay }: ExtendProps) {
  const wished = useSignal(WISHED_PERIODS)
  const { token } = row
  const choices = extensionsOf({ row, plans, nextUncheckedDay }).map(({ periods }) => periods)
  const periods = choices.includes(wished.value) ? wished.value : choices[0]
  if (periods === undefined) return null
  return (
    <form
      class="me__extend"
      onSubmit={(event) => {
        event.preventDefault()
        askToSign(extendRequest(token, periods, row.allowance.amountRaw === 0n))
      }}
    >
      <Field
        label={row.allowance.amountRaw === 0n ? 'Allow payments again' : 'Extend the permission to'}
        hint={
          plans.length === 1
            ? undefined
            : 'At least so many for each plan; a plan that pays more often gets more.'
        }
      >
        {(control) => (
          <select
            {...control}
            value={String(periods)}
            onChange={({ currentTarget }) => {
              wished.value = Number(currentTarget.value)
            }}
          >
            {choices.map((choice) => (
              <option key={choice} value={String(choice)}>
                {choice === 1 ? 'the next payment' : `${choice} payments`}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Button type="submit">Review …</Button>
    </form>
  )
}
