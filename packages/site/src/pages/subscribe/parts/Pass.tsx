import { useSignal } from '@preact/signals'
import type { Subscription } from '@remit/client'
import { RemitError } from '@remit/client'
import { openerOrigin, tellPass, wantsPass } from '../../../button/opener.ts'
import { Button } from '../../../design/Button.tsx'
import { Note } from '../../../design/Card.tsx'
import { api } from '../../../page/api.ts'
import { signIn, signInErrorWords } from '../../../session/session.ts'
import { type ConnectedWallet, connected } from '../../../wallet/wallet.ts'
import { momentWords } from '../../../words/time.ts'
import { MainAct } from './MainAct.tsx'

interface PassProps {
  readonly plan: Subscription
  /** The member's wallet. */
  readonly address: string
  /** The block that made it a member. */
  readonly minBlock?: number | undefined
}

/**
 * Gives the page that opened this window a pass for the member, where it wants one. The pass is for the origin of the
 * handshake, and goes only there. It is signed and sent only after the visitor presses the button.
 */
export function Pass({ plan, address, minBlock }: PassProps) {
  const expiresAt = useSignal<number | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const isAsking = useSignal(false)
  const origin = openerOrigin.value
  const now = connected.value
  if (origin === undefined || !wantsPass.value || now?.address !== address) return null
  const host = new URL(origin).host
  const give = async () => {
    problem.value = undefined
    isAsking.value = true
    try {
      await signedInAs(now, host)
      const ask = () => api.createPass({ subscriptionId: plan.id, audience: origin, minBlock })
      const issued = await ask().catch(async (error: unknown) => {
        // A wallet that is a contract may have signed in on another chain, or the session has just ended.
        if (!(error instanceof RemitError && error.code === 'UNAUTHORIZED')) throw error
        await signInFor(now, host)
        return ask()
      })
      tellPass(issued.pass, issued.expiresAt)
      expiresAt.value = issued.expiresAt
    } catch (error) {
      problem.value = signInErrorWords(error)
    } finally {
      isAsking.value = false
    }
  }
  return (
    <div class="stack-small">
      {expiresAt.value === undefined ? (
        <>
          <p>
            <bdi>{host}</bdi> asks for a pass: a proof of what you have paid for, with your wallet’s address.
            Your wallet may ask you to sign in here.
          </p>
          <MainAct>
            <Button kind="primary" isWide isOff={isAsking.value} onClick={() => void give()}>
              {isAsking.value ? 'Look in your wallet' : `Give ${host} the pass`}
            </Button>
          </MainAct>
        </>
      ) : null}
      <div role="status">
        {expiresAt.value === undefined ? null : (
          <Note kind="good">
            <bdi>{host}</bdi> has your pass. It holds until {momentWords(new Date(expiresAt.value * 1000))}.
          </Note>
        )}
      </div>
      <div role="alert">{problem.value === undefined ? null : <Note kind="bad">{problem.value}</Note>}</div>
    </div>
  )
}

/** Signs in, unless this wallet has. If the service has no passes, the page says so before the wallet signs. */
async function signedInAs(wallet: ConnectedWallet, host: string): Promise<void> {
  const [{ session: mine }] = await Promise.all([api.getSession({}), api.getPassKeys({})])
  if (mine?.address.toLowerCase() !== wallet.address.toLowerCase()) await signInFor(wallet, host)
}

function signInFor(wallet: ConnectedWallet, host: string): Promise<void> {
  return signIn(wallet, `Sign in to show ${host} what you have paid for.`)
}
