import './subject.css'
import { Button } from '../design/Button.tsx'
import { Freshness } from '../design/frame/Freshness.tsx'
import { Address } from '../design/values/Address.tsx'
import { WrongChain } from '../wallet/WalletButton.tsx'
import { connected } from '../wallet/wallet.ts'
import { PaperBlock } from './PaperBlock.tsx'
import { isMine, lookAt, subject } from './subject.ts'

/**
 * The bar at the head of a page about a wallet (`/me`, `/desk`): whose page it is, and how old what it shows is.
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
          <span class="subject__whose quiet">{isMine.value ? 'your wallet' : 'view only'}</span>
          {own !== undefined && !isMine.value ? (
            <Button isSmall onClick={() => void lookAt(own)}>
              Show my wallet
            </Button>
          ) : null}
        </span>
        <Freshness age={age} />
        <PaperBlock />
      </div>
      {isMine.value ? <WrongChain /> : null}
    </div>
  )
}
