import './page.css'
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { meetOpener } from '../../button/opener.ts'
import { Button, LinkButton } from '../../design/Button.tsx'
import { linkTo, linkToChain, root } from '../../page/api.ts'
import type { PageData } from '../../page/pageContents.ts'
import { pageData } from '../../page/pageData.ts'
import { limitWords } from '../../words/errors.ts'

type Refusal = NonNullable<PageData['refusal']>

/** The page in place of any other that the service refuses (404, 429, 5xx): why, and where to go from here. */
export function Page() {
  const { refusal = {} } = pageData
  // A button may have opened this window for a plan: it has to learn that nobody can subscribe.
  useEffect(meetOpener, [])
  if (refusal.status === 404) return <NotFound />
  if (refusal.status === 429) return <Wait refusal={refusal} />
  if (isOfChain(refusal)) return <OtherChain refusal={refusal} />
  const isOurs = Number(refusal.status) >= 500
  return (
    <Refused refusal={refusal} title={isOurs ? 'This did not work' : 'This page cannot be shown'}>
      <p>{reasonWords(refusal)}</p>
      <p class="row">
        <LinkButton href={location.href} kind="primary">
          Try again
        </LinkButton>
        {isOurs ? <LinkButton href={`${root}/status`}>See the status</LinkButton> : null}
        <a href={linkTo('/')}>To the start</a>
      </p>
    </Refused>
  )
}

function NotFound() {
  return (
    <Refused refusal={{ status: 404 }} title="Page not found">
      <p>
        Nothing is at <code>{location.pathname.slice(0, 200)}</code>. The address may be mistyped, or what was
        here has moved.
      </p>
      <p class="row">
        <LinkButton href={linkTo('/')} kind="primary">
          To the start
        </LinkButton>
        <LinkButton href={linkTo('/plans')}>See the plans</LinkButton>
      </p>
      <p class="quiet">
        Have a wallet’s address or a plan’s id? The search above finds it. Looking for a route of the API?{' '}
        <a href={`${root}/docs`}>The reference</a> lists them all.
      </p>
    </Refused>
  )
}

/** Above an hour the button shows no countdown: nobody waits for it. */
const LONGEST_SHOWN_SECONDS = 3_600

/** A limit was reached: counts down until one can try again. */
function Wait({ refusal }: { readonly refusal: Refusal }) {
  const { retryAfterSeconds } = refusal
  const wait = typeof retryAfterSeconds === 'number' ? retryAfterSeconds : 60
  const left = useSignal(wait)
  useEffect(() => {
    const until = performance.now() + wait * 1000
    const timer = setInterval(() => {
      left.value = Math.max(0, Math.ceil((until - performance.now()) / 1000))
      if (left.value === 0) clearInterval(timer)
    }, 250)
    return () => clearInterval(timer)
  }, [wait, left])
  const isOver = left.value === 0
  return (
    <Refused refusal={refusal} title="Please wait">
      <p>{reasonWords(refusal)}</p>
      <p class="row">
        <Button kind="primary" isOff={!isOver} onClick={() => location.reload()}>
          {isOver || left.value > LONGEST_SHOWN_SECONDS ? 'Try again' : `Try again in ${left.value} s`}
        </Button>
        <a href={`${root}/portal`}>An API key has higher limits</a>
      </p>
      <p class="unseen" role="status">
        {isOver ? 'You can try again now.' : ''}
      </p>
    </Refused>
  )
}

function OtherChain({ refusal }: { readonly refusal: Refusal }) {
  return (
    <Refused refusal={refusal} title="This chain is not served">
      <p>The address names a chain that this service knows nothing of. Choose one of these:</p>
      <ul class="stack-small">
        {pageData.chains.map(({ chainId, name }) => (
          <li key={chainId}>
            <LinkButton isWide href={linkToChain(chainId)}>
              {name}
            </LinkButton>
          </li>
        ))}
      </ul>
    </Refused>
  )
}

interface RefusedProps {
  readonly refusal: Refusal
  readonly title: string
  readonly children: ComponentChildren
}

function Refused({ refusal: { status, requestId }, title, children }: RefusedProps) {
  return (
    <div class="refusal stack">
      <p class="refusal__status" aria-hidden="true">
        {String(status ?? '')}
      </p>
      <h1>{title}</h1>
      {children}
      {Number(status) >= 500 && typeof requestId === 'string' ? (
        <p class="refusal__id quiet">
          Should it go on, tell the operator this number: <code>{requestId}</code>
        </p>
      ) : null}
    </div>
  )
}

/** Whether the page was refused because its address names a chain that is not served. `issues` says what is wrong, field by field. */
function isOfChain({ issues }: Refusal): boolean {
  return Array.isArray(issues) && issues[0]?.path === 'chainId'
}

/** The reason of a refusal, in a sentence. */
export function reasonWords({ status, error, bucket, retryAfterSeconds }: Refusal): string {
  if (status === 429) {
    return limitWords(bucket, typeof retryAfterSeconds === 'number' ? retryAfterSeconds : undefined)
  }
  return typeof error === 'string' ? error : 'The service did not say why.'
}
