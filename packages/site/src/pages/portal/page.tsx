import './page.css'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Address as WalletAddress } from 'viem'
import { Button } from '../../design/Button.tsx'
import { Card } from '../../design/Card.tsx'
import { Empty, Shown } from '../../design/State.tsx'
import { Address } from '../../design/values/Address.tsx'
import { root } from '../../page/api.ts'
import { session, signOut } from '../../session/session.ts'
import { Keys } from './Keys.tsx'
import { LaterKey } from './QuickStarts.tsx'
import { SignIn } from './SignIn.tsx'
import { Webhooks } from './Webhooks.tsx'

/** Keys of developers and webhooks: sign in with a wallet, make them, see what each has used and how it stands. */
export function Page() {
  useEffect(() => {
    void session.refresh()
  }, [])
  return (
    <div class="stack portal">
      <h1>API keys and webhooks</h1>
      <p class="portal__intro">
        Only for programs: the pages need none. A key is free and has higher limits. A{' '}
        <a href={`${root}/docs/webhooks`}>webhook</a> tells a server of yours at once what happens to your
        plans. Both belong to your wallet’s address: sign in to make them, nothing else is asked.
      </p>
      <Shown of={session} lines={5}>
        {({ portal, session: mine }) => {
          if (portal !== 'off' && mine !== null) {
            return (
              <>
                <div class="row row-apart">
                  <Address address={mine.address} />
                  <Button isSmall onClick={() => void signOut()}>
                    Sign out
                  </Button>
                </div>
                <Sections owner={mine.address} />
              </>
            )
          }
          return (
            <div class="portal__begin">
              {portal === 'off' ? <NotGiven /> : <SignIn />}
              <Card title="How to begin">
                <LaterKey inPlace="svc_…" />
              </Card>
            </div>
          )
        }}
      </Shown>
    </div>
  )
}

/** Keys or webhooks, one at a time, so that a growing list moves nothing below it. A link to `#webhooks` begins with those. */
function Sections({ owner }: { readonly owner: WalletAddress }) {
  const isWebhooks = useSignal(location.hash === '#webhooks')
  const choice = (name: string, ofWebhooks: boolean) => (
    <Button
      isSmall
      isPressed={isWebhooks.value === ofWebhooks}
      onClick={() => {
        isWebhooks.value = ofWebhooks
      }}
    >
      {name}
    </Button>
  )
  return (
    <>
      <div class="portal__tools">
        {choice('Keys', false)}
        {choice('Webhooks', true)}
      </div>
      {isWebhooks.value ? <Webhooks owner={owner} /> : <Keys />}
    </>
  )
}

function NotGiven() {
  return (
    <Card title="No keys are given out here">
      <Empty title="Ask the operator of this service for one.">
        <p>With a key you make webhooks, too.</p>
      </Empty>
    </Card>
  )
}
