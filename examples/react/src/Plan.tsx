import {
  type FlowPhase,
  useRemitMembership,
  useRemitOutlook,
  useRemitSubscription,
  useSubscribeFlow,
} from '@remit/react'
import type { Hex } from 'viem'
import { useConnect, useConnection, useConnectors } from 'wagmi'

const WORDS: Readonly<Record<FlowPhase, string>> = {
  idle: 'Subscribe',
  preparing: 'Preparing…',
  checked: 'Checked: it is what you asked for',
  signing: 'Look at your wallet',
  sent: 'Sent, waiting for its block…',
  mined: 'In a block',
  done: 'Subscribed',
  failed: 'Try again',
}

/** A plan, its terms, what the visitor's other subscriptions take, and the button. */
export function Plan({ id }: { readonly id: Hex }) {
  const { address } = useConnection()
  const plan = useRemitSubscription({ id })
  const membership = useRemitMembership({ id, address })
  const { mutate, phase, progress, isPending, error, data } = useSubscribeFlow({ switchChain: true })
  if (plan.data === undefined) return <p role="status">{plan.error?.message ?? 'Loading…'}</p>

  const { subscription, chainId } = plan.data
  const { amount, token, frequencyLabel, nextDue } = subscription
  // The wallet signs these terms, on this chain, or nothing.
  const subscribe = () => mutate({ id, chainId, terms: { ...subscription, token: token.address } })
  return (
    <main>
      <h1>The Coffee House</h1>
      <p>
        {amount} {token.symbol ?? token.address}, {frequencyLabel.toLowerCase()}, next on {nextDue?.date}
      </p>
      {address === undefined ? (
        <Wallets />
      ) : (
        <>
          <Outlook address={address} />
          {membership.data?.entitled === true ? (
            <p role="status">You are a member.</p>
          ) : (
            <button type="button" onClick={subscribe} disabled={isPending || phase === 'done'}>
              {WORDS[phase]}
            </button>
          )}
        </>
      )}
      {isPending && progress !== undefined && progress.of > 1 && (
        <p>
          Signature {progress.step} of {progress.of}
        </p>
      )}
      {data !== undefined && <p>It is in transaction {data.transactions.at(-1)?.hash}.</p>}
      {error !== null && <p role="alert">{error.message}</p>}
    </main>
  )
}

function Wallets() {
  const connectors = useConnectors()
  const { mutate, error } = useConnect()
  return (
    <>
      {connectors.map((connector) => (
        <button key={connector.uid} type="button" onClick={() => mutate({ connector })}>
          Connect {connector.name}
        </button>
      ))}
      {error !== null && <p role="alert">{error.message}</p>}
    </>
  )
}

function Outlook({ address }: { readonly address: Hex }) {
  const { data, error } = useRemitOutlook({ address, days: 30 })
  if (data === undefined) return <p role="status">{error?.message ?? 'Looking ahead…'}</p>
  return (
    <section aria-label="What will be charged">
      <p>{data.charges.length} charges in the next 30 days</p>
      <ul>
        {data.charges.map(({ subscriptionId, day, amount }) => (
          <li key={`${subscriptionId} ${day.dayNumber}`}>
            {day.date}: {amount}
          </li>
        ))}
      </ul>
    </section>
  )
}
