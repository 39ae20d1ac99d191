import { useSignal } from '@preact/signals'
import type { Subscription } from '@remit/client'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Button, LinkButton } from '../../../design/Button.tsx'
import { Card } from '../../../design/Card.tsx'
import { Dialog } from '../../../design/frame/Dialog.tsx'
import { useKeptFocus } from '../../../design/frame/useKeptFocus.ts'
import { later } from '../../../design/later.tsx'
import { Failed, Limited, Loading } from '../../../design/State.tsx'
import { Steps } from '../../../design/Steps.tsx'
import { linkTo } from '../../../page/api.ts'
import { pageData } from '../../../page/pageData.ts'
import { WalletChoice, WrongChain } from '../../../wallet/WalletButton.tsx'
import { type ConnectedWallet, connected } from '../../../wallet/wallet.ts'
import type { SubscribeFlow } from '../flow/flow.ts'
import { issueTrouble } from '../flow/trouble.ts'
import { DueNow } from './DueNow.tsx'
import { MainAct } from './MainAct.tsx'
import { Member } from './Member.tsx'
import { Receipt } from './Receipt.tsx'
import { Stopped, TroubleNote } from './Stopped.tsx'

// Chunks of their own: visitors without a wallet need none of them.
const Review = later(async () => (await import('./Review.tsx')).Review)
const OwnPlan = later(async () => (await import('./OwnPlan.tsx')).OwnPlan)
const NotReady = later(async () => (await import('./NotReady.tsx')).NotReady)
const WalletTerms = later(async () => (await import('./WalletTerms.tsx')).WalletTerms)

interface ActionProps {
  readonly flow: SubscribeFlow
  /** The provider's domain, as its profile claims it. */
  readonly domain: string | undefined
  /** What is taken at once, in the token's smallest unit; `undefined` where it is not known. */
  readonly now: bigint | undefined
}

/** The one thing that can be done now: connect, review, subscribe; then the receipt. */
export function Action(props: ActionProps) {
  const place = useKeptFocus()
  const { kind } = props.flow.phase.value
  const seen = useRef(kind)
  // After a change of height the panel may have left the screen. Whoever has pressed its button wants to see what came of it.
  useLayoutEffect(() => {
    const top = place.current?.getBoundingClientRect().top ?? 0
    if (seen.current !== kind && (top < 0 || top > innerHeight / 2)) place.current?.scrollIntoView()
    seen.current = kind
  }, [kind])
  return (
    <div ref={place} class="checkout__step" data-step={kind === 'terms' ? undefined : kind}>
      {stage(props)}
    </div>
  )
}

/** What the panel shows. What was signed comes first: its outcome is shown even if plan or wallet have changed. */
function stage({ flow, domain, now }: ActionProps) {
  const plan = flow.plan.value
  const phase = flow.phase.value
  if (phase.kind === 'done') {
    const { outcome, address } = phase
    return (
      <Receipt plan={plan} outcome={outcome} address={address} today={flow.today.value} domain={domain} />
    )
  }
  if (phase.kind === 'sending') {
    return (
      <Card title="Subscribing">
        <Steps steps={phase.steps} />
        <p class="quiet">You can close this page once it is sent.</p>
      </Card>
    )
  }
  if (phase.kind === 'stopped') {
    return (
      <Card title="Subscribe">
        <Stopped flow={flow} plan={plan} phase={phase} />
      </Card>
    )
  }
  if (plan.cancelled) return <Cancelled plan={plan} />
  const wallet = connected.value
  if (wallet === undefined) {
    return (
      <Card title="Subscribe">
        <div class="stack">
          <DueNow plan={plan} now={now} today={flow.today.value} />
          <WalletChoice />
          <ConnectAct />
        </div>
      </Card>
    )
  }
  return (
    <Card title="Subscribe">
      <div class="stack">
        <Terms flow={flow} wallet={wallet} domain={domain} now={now} />
      </div>
    </Card>
  )
}

interface TermsProps extends ActionProps {
  readonly wallet: ConnectedWallet
}

/** For the wallet that is connected: whether it can, on which terms, and what it would sign. */
function Terms({ flow, wallet, domain, now }: TermsProps) {
  const plan = flow.plan.value
  const phase = flow.phase.value
  const { address } = wallet
  if (wallet.chainId !== pageData.chain?.chainId) return <WrongChain />
  if (phase.kind === 'review') {
    return (
      <Review flow={flow} plan={plan} address={address} prepared={phase.prepared} sponsor={phase.sponsor} />
    )
  }
  if (phase.kind === 'preparing') {
    const { note } = phase
    return (
      <div aria-live="polite">
        <Loading lines={6} />
        <p class="quiet">{note || 'Preparing it, and trying it out on the network …'}</p>
      </div>
    )
  }
  const limitedUntilMs = flow.limitedUntilMs.value
  if (limitedUntilMs !== undefined) return <Limited untilMs={limitedUntilMs} />
  const readiness = flow.readiness.value
  if (readiness.state === 'loading') return <Loading lines={8} />
  if (readiness.state === 'failed') return <Failed error={readiness.error} retry={() => void flow.look()} />
  const { answer, isStale } = readiness
  if (answer.issues.some(({ code }) => code === 'ALREADY_SUBSCRIBED')) {
    const block = answer.asOf.blockNumber
    return <Member plan={plan} address={address} today={flow.today.value} domain={domain} block={block} />
  }
  if (answer.issues.some(({ code }) => code === 'OWN_SUBSCRIPTION')) {
    return <OwnPlan flow={flow} plan={plan} answer={answer} due={now} />
  }
  if (!answer.ready) {
    return <NotReady flow={flow} plan={plan} address={address} answer={answer} isStale={isStale} />
  }
  return (
    <>
      <DueNow plan={plan} now={now} today={flow.today.value} />
      <WalletTerms flow={flow} plan={plan} answer={answer} isStale={isStale} />
    </>
  )
}

/** A button that opens the list of wallets in a dialog: on a phone the list in the panel may be out of sight. */
function ConnectAct() {
  const isOpen = useSignal(false)
  const open = (value: boolean) => () => {
    isOpen.value = value
  }
  return (
    <div class="checkout__connect">
      <MainAct>
        <Button kind="primary" isWide onClick={open(true)}>
          Subscribe with a wallet
        </Button>
      </MainAct>
      <Dialog title="Connect a wallet" isOpen={isOpen.value} onClose={open(false)}>
        <WalletChoice onConnected={open(false)} />
      </Dialog>
    </div>
  )
}

function Cancelled({ plan }: { readonly plan: Subscription }) {
  const { token, provider } = plan
  return (
    <Card title="Subscribe">
      <div class="stack">
        <TroubleNote
          trouble={issueTrouble(
            { code: 'SUBSCRIPTION_CANCELLED', message: '' },
            { token, details: undefined },
          )}
        />
        <p class="quiet">
          Are you a member? What is left of your collecting reserve comes back to you, on no fixed day. There
          is nothing to do: whoever leaves a cancelled plan, as other apps may offer, gives it to the
          provider.
        </p>
        <MainAct>
          <LinkButton href={linkTo('/plans', { provider })} kind="primary" isWide>
            See the provider’s other plans
          </LinkButton>
        </MainAct>
      </div>
    </Card>
  )
}
