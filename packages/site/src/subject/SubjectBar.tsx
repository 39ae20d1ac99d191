import './subject.css'
import { Address } from '../design/Address.tsx'
import { Button } from '../design/Button.tsx'
import { Freshness } from '../design/Freshness.tsx'
import { WrongChain } from '../wallet/WalletButton.tsx'
import { connected } from '../wallet/wallet.ts'
import { isMine, lookAt, subject } from './subject.ts'

/**
 * Whose page it is, and how old what it shows is.
 * @param age of the oldest balance when it was read, in seconds
 */
export function SubjectBar({ age }: { readonly age?: number | undefined }) {
  const address = subject.value
  const own = connected.value?.address
  if (address === undefined) return null
  return (
    <div class="subject">
      <div class="subject__line">
        <span class="row">
          <Address address={address} />
          {isMine.value ? <span class="quiet">your wallet</span> : <span class="quiet">view only</span>}
          {own !== undefined && !isMine.value ? (
            <Button isSmall onClick={() => void lookAt(own)}>
              Show my wallet
            </Button>
          ) : null}
        </span>
        <Freshness age={age} />
      </div>
      {isMine.value ? <WrongChain /> : null}
    </div>
  )
}
