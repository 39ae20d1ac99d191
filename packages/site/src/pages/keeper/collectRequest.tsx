import type { TokenQuantity } from '@remit/client'
import { Facts, Note } from '../../design/Card.tsx'
import { DueDay } from '../../design/values/When.tsx'
import type { SigningRequest } from '../../signing/startSigning.ts'
import { ownParts } from './ownParts.ts'
import { perToken } from './perToken.tsx'

/** Collecting the payments of a day by one call of `remit()`. @param fees of all that waits: they name the tokens */
export function collectRequest(fees: readonly TokenQuantity[]): SigningRequest<'remit'> {
  return {
    title: 'Collect payments',
    verb: 'Collect',
    act: 'Collect the payments of the day',
    done: 'The payments of the day are collected.',
    asked: { flow: 'remit', request: {} },
    review: ({ preflight, simulation, unsignedTransactions }) => {
      const { from, to } = unsignedTransactions?.[0] ?? {}
      const own = (simulation?.balanceChanges ?? []).filter(({ account }) => account === from)
      const gains = own.filter(({ amountRaw }) => amountRaw > 0n)
      // A collector may be charged by the same call, for more than it earns.
      const losses = own.filter(({ amountRaw }) => amountRaw < 0n)
      // What the wallet earns, receives and pays, told apart. `undefined` where it only earns, or nothing was simulated: then the
      // sums above are shown.
      const parts =
        simulation === undefined || from === undefined || to === undefined
          ? undefined
          : ownParts(simulation, from, to)
      const [day] = preflight?.days ?? []
      const isOwnFailing = preflight?.failing.some(
        ({ subscriber, date }) => subscriber === from && date === day?.date,
      )
      return (
        <>
          <p>
            One transaction collects what is due on one day and pays each provider. You get the fee for it.
          </p>
          <Facts
            rows={[
              day === undefined ? undefined : ['Day', <DueDay key="day" day={day} />],
              day === undefined
                ? undefined
                : [
                    'Payments',
                    `${day.willPay} will pay${day.willFail > 0 ? `, ${day.willFail} will fail and end` : ''}`,
                  ],
              ...(parts === undefined
                ? [
                    ...(gains.length === 0 && simulation?.method !== 'eth_simulateV1'
                      ? [['You get now', 'It could be tried out only in part.'] as const]
                      : perToken(losses.length === 0 ? 'You get now, for collecting' : 'You get now', gains)),
                    ...(losses.length === 0
                      ? []
                      : perToken('Your wallet pays for its own subscriptions, beyond what it earns', losses)),
                  ]
                : [
                    ...(parts.income.length === 0
                      ? []
                      : perToken('To you as the provider, by payments', parts.income)),
                    ...(parts.reserves.length === 0
                      ? []
                      : perToken('To you, left of the reserves of those who fail', parts.reserves)),
                    ...perToken('To you for collecting', parts.fees),
                    ...(parts.paid.length === 0
                      ? []
                      : perToken('From you, for your own subscriptions', parts.paid)),
                  ]),
            ]}
          />
          {day !== undefined && day.willFail > 0 ? (
            <p class="quiet">
              A payment that fails pays you the fee, too, where its reserve holds more than that.
            </p>
          ) : null}
          {day !== undefined && day.willPay + day.willFail === 0 ? (
            <p>Nobody pays on this day. The days after it can be collected only once it is done.</p>
          ) : null}
          {isOwnFailing ? (
            <Note kind="bad">
              <p>
                <strong>One of those that fail is your own subscription.</strong> Your wallet has too little
                for it, or the permission is used up: collecting ends it.
              </p>
            </Note>
          ) : null}
          {preflight !== undefined && preflight.expectedTransactions > 1 ? (
            <p class="quiet">After it {more(preflight.expectedTransactions - 1)}.</p>
          ) : null}
        </>
      )
    },
    receipt: ({ feesEarned, paid, dropped, remaining }) => (
      <>
        <Note kind="good">
          <p>
            <strong>Collected.</strong>{' '}
            {paid + dropped === 0
              ? 'The day is done: nobody had to pay on it'
              : `${paymentsWords(paid)} made`}
            {dropped > 0
              ? `; ${dropped} failed, which ended ${dropped === 1 ? 'its subscription' : 'their subscriptions'}`
              : ''}
            .
          </p>
        </Note>
        <Facts
          rows={[
            ...perToken(
              'You earned by collecting',
              feesEarned.map(({ token, amount }) => ({ token: tokenOf(token, fees), amount })),
            ),
          ]}
        />
        {remaining > 0 ? <p>Now {more(remaining)}.</p> : <p>Nothing more is due up to today.</p>}
      </>
    ),
  }
}

/** "One payment was", "5 payments were". */
function paymentsWords(count: number): string {
  return count === 1 ? 'One payment was' : `${count} payments were`
}

function more(calls: number): string {
  return calls === 1 ? 'one more transaction is needed' : `${calls} more transactions are needed`
}

/** A token by its address; without its symbol where it is none of those in which fees were expected. */
function tokenOf(address: string, fees: readonly TokenQuantity[]) {
  const known = fees.find(({ token }) => token.address.toLowerCase() === address.toLowerCase())
  return known?.token ?? { symbol: null, address }
}
