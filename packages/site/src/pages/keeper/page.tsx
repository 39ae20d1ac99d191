import '../../subject/subject.css'
import './page.css'
import { Note } from '../../design/Card.tsx'
import { Freshness } from '../../design/frame/Freshness.tsx'
import { Failed, Loading } from '../../design/State.tsx'
import { Term } from '../../design/Term.tsx'
import { live, readAgain } from '../../page/live.ts'
import { SigningDialog } from '../../signing/SigningDialog.tsx'
import { Collect } from './Collect.tsx'
import { Nothing } from './Nothing.tsx'
import { Waiting } from './Waiting.tsx'

const prepared = live('prepared', 'prepareRemit')
const readiness = live('readiness', 'checkRemitReadiness')

/** After so long out of sight the page is read again: others may have collected meanwhile. */
const OLD_MS = 60_000
let hiddenAt: number | undefined
document.addEventListener('visibilitychange', () => {
  if (document.hidden) hiddenAt = Date.now()
  else if (hiddenAt !== undefined && Date.now() - hiddenAt > OLD_MS) void readAgain()
})

/** What waits to be collected, what that earns and costs, and one button for one call. */
export function Page() {
  return (
    <div class="subject__page stack">
      <div class="row row-apart">
        <h1>Collect payments</h1>
        <Freshness />
      </div>
      <p class="keeper__lead">
        Payments do not collect themselves. On each payment day somebody has to collect them, with a{' '}
        <Term means="It calls remit(), the contract’s function that takes the payments of one day from all members and pays the providers.">
          transaction
        </Term>
        , and earns a fee for it. Anybody may: it needs a wallet with some ETH for the network’s own fee.
      </p>
      <SigningDialog />
      <Now />
    </div>
  )
}

/** What can be collected; else, by the readiness, why nothing can. `preflight` is missing where nothing could be prepared. */
function Now() {
  const ready = prepared.value
  if (ready.state === 'loading') return <Loading lines={10} />
  if (ready.state === 'there' && ready.answer.preflight !== undefined) {
    return (
      <div class="aside">
        <Waiting details={ready.answer.preflight} />
        <Collect details={ready.answer.preflight} gas={ready.answer.gasSummary} />
      </div>
    )
  }
  const known = readiness.value
  if (known.state === 'loading') return <Loading lines={10} />
  if (known.state === 'failed') return <Failed error={known.error} retry={() => void readAgain()} />
  const { issues, details } = known.answer
  const stops = issues.filter(({ code }) => code !== 'NOTHING_DUE' && code !== 'REMIT_NOT_DUE')
  return stops.length === 0 ? (
    <Nothing details={details} />
  ) : (
    <>
      {stops.map(({ code, message }) => (
        <Note key={code ?? message} kind="bad">
          <p>
            <strong>Nothing can be collected now.</strong>
          </p>
          <p>{message}</p>
        </Note>
      ))}
      <Waiting details={details} />
    </>
  )
}
