import './page.css'
import { LinkButton } from '../../design/Button.tsx'
import { Card, Facts } from '../../design/Card.tsx'
import { useKeptFocus } from '../../design/frame/useKeptFocus.ts'
import { Shown } from '../../design/State.tsx'
import { UntrustedText } from '../../design/values/Untrusted.tsx'
import { linkTo, root } from '../../page/api.ts'
import { answerNow, chainNow, live, pathNow } from '../../page/live.ts'
import { SigningDialog } from '../../signing/SigningDialog.tsx'
import { SubjectBar } from '../../subject/SubjectBar.tsx'
import { followWallet, isMine, subject } from '../../subject/subject.ts'
import { Welcome } from '../../subject/WhoseAddress.tsx'
import { Overview } from './overview/Overview.tsx'

followWallet()

const state = live('state', 'getProtocolState')

const MEMBERS = '/desk/members'
const PLANS = '/desk/plans'
const NEW_PLAN = '/desk/plans/new'
const PAYMENTS = '/desk/payments'
const SETTINGS = '/desk/settings'

/** Each section but the overview is loaded only where the visit's address is its own: links between them load the page anew. */
const isAt = (...paths: string[]) => paths.includes(pathNow.peek())
/** In the place of the sections that are not loaded: they are never shown. */
const None = () => null
const NewPlan = isAt(NEW_PLAN) ? (await import('./create/NewPlan.tsx')).NewPlan : None
const Members = isAt(MEMBERS) ? (await import('./members/Members.tsx')).Members : None
// Publishing a plan leads from the form to the list without a new visit, so both are loaded there.
const Plans = isAt(PLANS, NEW_PLAN) ? (await import('./plans/Plans.tsx')).Plans : None
const Payments = isAt(PAYMENTS) ? (await import('./payments/Payments.tsx')).Payments : None
const Settings = isAt(SETTINGS) ? (await import('./settings/Settings.tsx')).Settings : None

const SECTIONS = [
  { path: '/desk', title: 'Overview', Section: Overview },
  { path: MEMBERS, title: 'Members', Section: Members },
  { path: PLANS, title: 'Plans', Section: Plans },
  { path: PAYMENTS, title: 'Payments', Section: Payments },
  { path: SETTINGS, title: 'Settings', Section: Settings },
] as const

/** A provider's desk. Each of its sections has an address of its own, and reads what it shows. */
export function Page() {
  const place = useKeptFocus()
  return (
    <div class="subject__page stack" ref={place}>
      <SigningDialog />
      {pathNow.value === NEW_PLAN ? <CreatePage /> : <Sections />}
    </div>
  )
}

function Sections() {
  const address = subject.value
  if (address === undefined) return <Nobody />
  const current = SECTIONS.find(({ path }) => path === pathNow.value) ?? SECTIONS[0]
  return (
    <>
      <div class="row row-apart">
        <h1>
          <Heading />
        </h1>
        {isMine.value ? (
          <LinkButton isSmall kind="primary" href={linkTo(NEW_PLAN, { address })}>
            New plan
          </LinkButton>
        ) : null}
      </div>
      <SubjectBar age={current.path === PAYMENTS ? 0 : balancesAge()} />
      <nav class="desk__sections" aria-label="Sections of the desk">
        {SECTIONS.map(({ path, title }) => (
          <a
            key={path}
            href={linkTo(path, { address })}
            aria-current={path === current.path ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <current.Section />
    </>
  )
}

/** The age of the oldest balance that a section shows, in seconds. The service reads balances in the background. */
function balancesAge(): number {
  const { members = [] } = answerNow('members', 'listProviderMembers') ?? {}
  const now = chainNow.value?.block?.timestamp ?? 0
  const oldest = answerNow('outlook', 'getProviderOutlook')?.verdicts.oldest?.ageSeconds ?? 0
  return Math.max(oldest, ...members.map(({ readAt }) => (readAt === null ? 0 : now - readAt.timestamp)))
}

/** Whose desk it is. The name is a stranger's word, so it is quoted. */
function Heading() {
  const name = answerNow('profile', 'getProviderProfile')?.profile?.company.trim()
  if (isMine.value) return 'Your desk'
  if (!name) return 'A provider’s desk'
  return (
    <>
      Desk of “<UntrustedText text={name} most={40} />”
    </>
  )
}

/** The desk without a wallet: what it is for, what selling costs, and how to open one. */
function Nobody() {
  return (
    <>
      <h1>For providers</h1>
      <p class="row">
        <LinkButton kind="primary" href={linkTo(NEW_PLAN)}>
          Try out a plan
        </LinkButton>
        <span class="quiet">No wallet is needed for that.</span>
      </p>
      <Selling />
      <Welcome>
        <p>
          Publish a plan, send its link, and see here what comes in, who will not pay, and how many have left.
        </p>
      </Welcome>
    </>
  )
}

/** What selling costs and when money comes: whoever sells asks that before they connect anything. */
function Selling() {
  return (
    <Card title="How selling works">
      <Shown of={state} lines={5}>
        {({ callerFeePercent }) => (
          <div class="stack">
            <Facts
              rows={[
                ['You publish', 'A price, a token and a day. It costs the network’s fee, in ETH.'],
                ['Members pay', 'From their wallets straight to yours: nobody holds your money.'],
                [
                  'Collecting costs',
                  `${callerFeePercent} % of each payment, for whoever collects it. It is taken from what members pay.`,
                ],
                [
                  'The money comes',
                  'In the moment somebody collects: on the payment day or later. Anybody may, you too. Whoever joins while a payment day is not collected yet pays for that day, too.',
                ],
                [
                  'All is public',
                  'Your plans, what you earn, each member’s wallet, and who has left. None of it can be taken back.',
                ],
              ]}
            />
            <p>
              <a href={`${root}/docs/providers`}>If you sell</a>: all of it on one page.
            </p>
          </div>
        )}
      </Shown>
    </Card>
  )
}

function CreatePage() {
  const address = subject.value
  return (
    <>
      <p>
        <a href={address === undefined ? linkTo('/desk') : linkTo('/desk/plans', { address })}>
          ← {address === undefined ? 'For providers' : 'Plans'}
        </a>
      </p>
      <h1>{isMine.value ? 'A new plan' : 'Try out a plan'}</h1>
      {address === undefined ? null : <SubjectBar />}
      <NewPlan />
    </>
  )
}
