import './page.css'
import { DeedDialog } from '../../deed/DeedDialog.tsx'
import { Failed, Loading } from '../../design/State.tsx'
import { useKeptFocus } from '../../design/useKeptFocus.ts'
import { live } from '../../page/live.ts'
import { SubjectBar } from '../../subject/SubjectBar.tsx'
import { followWallet, isMine, subject } from '../../subject/subject.ts'
import { Welcome } from '../../subject/WhoseAddress.tsx'
import { AtRisk } from './AtRisk.tsx'
import { NewPlan } from './create/NewPlan.tsx'
import { Income } from './income/Income.tsx'
import { Plans } from './Plans.tsx'
import { Profile } from './Profile.tsx'

const plans = live('plans', 'getAccountSubscriptions')

followWallet()

/** A provider's desk: what comes in, who is at risk, the plans, and a new one. */
export function Page() {
  const place = useKeptFocus()
  return (
    <div class="subject__page stack" ref={place}>
      <h1>
        {subject.value === undefined ? 'For providers' : isMine.value ? 'Your desk' : 'A provider’s desk'}
      </h1>
      {subject.value === undefined ? (
        <>
          <Welcome>
            <p>
              Publish a plan, send its link, and see here what comes in, who will not pay, and who has left.
              The money goes from your subscribers’ wallets straight to yours.
            </p>
          </Welcome>
          <NewPlan />
        </>
      ) : (
        <>
          <SubjectBar />
          <DeedDialog />
          <Provider />
        </>
      )}
    </div>
  )
}

function Provider() {
  const known = plans.value
  if (known.state === 'loading') return <Loading lines={16} />
  if (known.state === 'failed') return <Failed error={known.error} retry={() => void plans.refresh()} />
  const hasPlans = known.answer.subscriptions.length > 0
  return (
    <>
      {hasPlans ? (
        <>
          <Income />
          <AtRisk />
          <Plans />
        </>
      ) : (
        <p>
          {isMine.value
            ? 'You have no plan yet. Set a price and a day below, and look at what it means before you sign.'
            : 'This wallet has published no plan.'}
        </p>
      )}
      {isMine.value || !hasPlans ? <NewPlan /> : null}
      <Profile />
    </>
  )
}
