import { useSignal } from '@preact/signals'
import { Button } from '../../design/Button.tsx'
import { Card, Note } from '../../design/Card.tsx'
import { useKeptFocus } from '../../design/frame/useKeptFocus.ts'
import { Picture, short } from '../../design/values/Address.tsx'
import { signIn, signInErrorWords } from '../../session/session.ts'
import { WalletChoice } from '../../wallet/WalletButton.tsx'
import { connected } from '../../wallet/wallet.ts'

/** Signs in by a wallet, in two steps: connect it, and have it sign a text. */
export function SignIn() {
  const problem = useSignal<string | undefined>(undefined)
  const isAsking = useSignal(false)
  const wallet = connected.value
  const place = useKeptFocus()
  const sign = async () => {
    if (wallet === undefined) return
    problem.value = undefined
    isAsking.value = true
    try {
      await signIn(wallet, 'Sign in to manage your API keys.')
    } catch (error) {
      problem.value = signInErrorWords(error)
    } finally {
      isAsking.value = false
    }
  }
  return (
    <Card title="Sign in with your wallet">
      <div class="stack portal__sign">
        <p>
          Your wallet signs a text that names this site. It costs nothing, and it moves nothing. You stay
          signed in for two hours.
        </p>
        <div ref={place}>
          {wallet === undefined ? (
            <WalletChoice />
          ) : (
            <Button kind="primary" isWide isOff={isAsking.value} onClick={() => void sign()}>
              <Picture address={wallet.address} size={18} />
              {isAsking.value ? 'Look in your wallet' : `Sign in as ${short(wallet.address)}`}
            </Button>
          )}
        </div>
        {problem.value === undefined ? null : (
          <div role="alert">
            <Note kind="bad">{problem.value}</Note>
          </div>
        )}
      </div>
    </Card>
  )
}
