import './subject.css'
import { Address } from '../design/Address.tsx'
import { Button } from '../design/Button.tsx'
import { Freshness } from '../design/Freshness.tsx'
import { WrongChain } from '../wallet/WalletButton.tsx'
import { connected } from '../wallet/wallet.ts'
import { isMine, lookAt, subject } from './subject.ts'

/** Whose page it is, and how old what it shows is. */
export function SubjectBar() {
  const address = subject.value
  const own = connected.value?.address
  if (address === undefined) return null
  return (
    <div class="subject">
      <div class="subject__line">
        <span class="row">
          <Address address={address} />
          {isMine.value ? <span class="quiet">your wallet</span> : <span class="quiet">only to look at</span>}
          {own !== undefined && !isMine.value ? (
            <Button isSmall onClick={() => void lookAt(own)}>
              Show my wallet
            </Button>
          ) : null}
        </span>
        <Freshness />
      </div>
      {isMine.value ? <WrongChain /> : null}
    </div>
  )
}
