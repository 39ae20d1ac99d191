import './page.css'
import type { GetAccountAnswer } from '@remit/client'
import { LinkButton } from '../../design/Button.tsx'
import { useKeptFocus } from '../../design/frame/useKeptFocus.ts'
import { later } from '../../design/later.tsx'
import { Empty, Failed, Loading, Shown } from '../../design/State.tsx'
import { linkTo } from '../../page/api.ts'
import { live } from '../../page/live.ts'
import { SigningDialog } from '../../signing/SigningDialog.tsx'
import { SubjectBar } from '../../subject/SubjectBar.tsx'
import { followWallet, isMine, subject } from '../../subject/subject.ts'
import { Welcome } from '../../subject/WhoseAddress.tsx'
import { asked } from './addMoney.ts'
import { handedOver } from './handOver/handOver.ts'
import { type Membership, wholeAccount } from './memberships.ts'
import { Coming, Summary } from './payments/Coming.tsx'
import { Payments } from './payments/Payments.tsx'
import { Subscriptions } from './Subscriptions.tsx'
import { Tokens } from './Tokens.tsx'

// Chunks of their own: few need them.
const AddMoneyDialog = later(async () => (await import('./AddMoneyDialog.tsx')).AddMoneyDialog)
const Ended = later(async () => (await import('./Ended.tsx')).Ended)
const Leftovers = later(async () => (await import('./Leftover.tsx')).Leftovers)
const HandOverDialog = later(async () => (await import('./handOver/HandOverDialog.tsx')).HandOverDialog)

const outlook = live('outlook', 'getAccountOutlook')

followWallet()

/** A wallet's subscriptions: what it pays and when, until when that is covered, and what can be done about it. */
export function Page() {
  const place = useKeptFocus()
  return (
    <div class="subject__page stack" ref={place}>
      <h1>{subject.value === undefined || isMine.value ? 'My subscriptions' : 'A wallet’s subscriptions'}</h1>
      {subject.value === undefined ? (
        <Welcome>
          <p>
            See what your wallet pays and when, and whether its money will do. Extend a subscription, or leave
            it.
          </p>
        </Welcome>
      ) : (
        <>
          <SubjectBar />
          <SigningDialog />
          {asked.value === undefined ? null : <AddMoneyDialog missing={asked.value} />}
          {handedOver.value === undefined ? null : <HandOverDialog asked={handedOver.value} />}
          <Account />
        </>
      )}
    </div>
  )
}

function Account() {
  const known = wholeAccount.value
  if (known.state === 'loading') return <Loading lines={14} />
  if (known.state === 'failed') {
    return <Failed error={known.error} retry={() => void wholeAccount.refresh()} />
  }
  return <Memberships answer={known.answer} />
}

/** So many subscriptions that have ended hide nothing else. */
const TOLD_UNASKED = 3

function Memberships({ answer: { account, subscribedTo } }: { readonly answer: GetAccountAnswer }) {
  const running = subscribedTo.filter(isRunning)
  const ended = subscribedTo.filter((row) => !isRunning(row))
  return (
    <>
      {running.length === 0 ? (
        <Empty
          title={isMine.value ? 'You subscribe to nothing now.' : 'This wallet subscribes to nothing now.'}
        >
          <p>What you subscribe to is shown here with its next payment.</p>
          <LinkButton href={linkTo('/plans')} kind="primary">
            See the plans
          </LinkButton>
        </Empty>
      ) : (
        <>
          <Shown of={outlook} lines={2}>
            {(answer) => <Summary outlook={answer} />}
          </Shown>
          <div class="aside">
            <div class="stack">
              <Subscriptions rows={running} />
              <Shown of={outlook} lines={8}>
                {(answer) => <Coming outlook={answer} rows={running} />}
              </Shown>
            </div>
            <Shown of={outlook} lines={6}>
              {(answer) => <Tokens outlook={answer} subscriptions={running} />}
            </Shown>
          </div>
        </>
      )}
      {isMine.value && ended.length > 0 ? <Leftovers rows={ended} /> : null}
      {subscribedTo.length === 0 ? null : <Payments account={account} rows={subscribedTo} />}
      {/* Why it ended is what somebody comes for, so a few are told unasked. */}
      {ended.length === 0 ? null : (
        <Ended rows={ended} isOpen={running.length === 0 || ended.length <= TOLD_UNASKED} />
      )}
    </>
  )
}

function isRunning({ status, subscription }: Membership): boolean {
  return status === 0 && !subscription.cancelled
}
