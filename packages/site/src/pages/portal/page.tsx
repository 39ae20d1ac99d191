import './page.css'
import { useEffect } from 'preact/hooks'
import { Address } from '../../design/Address.tsx'
import { Button } from '../../design/Button.tsx'
import { Card } from '../../design/Card.tsx'
import { Empty, Shown } from '../../design/State.tsx'
import { session, signOut } from '../../session/session.ts'
import { Keys } from './Keys.tsx'
import { LaterKey } from './QuickStarts.tsx'
import { SignIn } from './SignIn.tsx'
import { Webhooks } from './Webhooks.tsx'

/** Keys of developers: sign in with a wallet, make one, see what it has used, and how webhooks stand. */
export function Page() {
  useEffect(() => {
    void session.refresh()
  }, [])
  return (
    <div class="stack portal">
      <h1>API keys</h1>
      <p class="portal__intro">
        Every call works without a key. A key is free and has higher limits. Its owner is your wallet’s
        address: nothing else is asked.
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
                <Keys />
                <Webhooks />
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

function NotGiven() {
  return (
    <Card title="No keys are given out here">
      <Empty title="Ask the operator of this service for one." />
    </Card>
  )
}
