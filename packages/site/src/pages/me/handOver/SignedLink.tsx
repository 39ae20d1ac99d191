import type { SignedPermit, Token } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { Note } from '../../../design/Card.tsx'
import { When } from '../../../design/When.tsx'
import { linkTo } from '../../../page/api.ts'
import { pageData } from '../../../page/pageData.ts'
import { Permitted } from '../../../permit/Permitted.tsx'
import { writePermit } from '../../../permit/permitText.ts'
import { ShareLink } from '../../../signed/ShareLink.tsx'
import { momentWords } from '../../../words/time.ts'
import { ToDesks } from './ToDesks.tsx'

interface SignedLinkProps {
  readonly signed: SignedPermit
  readonly token: Token
}

/** A signed permission as a link, and what whoever gets it can do. */
export function SignedLink({ signed, token }: SignedLinkProps) {
  const link = `${location.origin}${linkTo('/carry')}#${writePermit(signed)}`
  const until = new Date(signed.deadline * 1000)
  // DAI's own form names no amount: it allows everything.
  const raw = signed.value === undefined ? 2n ** 256n - 1n : BigInt(signed.value)
  const quantity = { amount: formatHuman(raw, token.decimals), amountRaw: raw }
  const words = `I have signed a permission for my subscriptions, and my wallet has too little ETH for the network’s fee. Can you carry it for me until ${momentWords(until)}? It costs you that fee and nothing else.`
  return (
    <>
      <div role="status">
        <Note kind="good">
          <p>
            <strong>It is signed.</strong> It counts once somebody has opened this link and carried it: your
            provider, or a friend.
          </p>
        </Note>
      </div>
      <ShareLink
        link={link}
        what="your signed permission"
        subject="Please carry a permission for me"
        words={words}
      />
      <p>
        Whoever has it can let the contract of the subscriptions take up to{' '}
        <Permitted quantity={quantity} token={token} /> in all from your wallet, until <When at={until} />,
        even if you change your permission before. They can take nothing themselves.
      </p>
      {pageData.keepsRescues ? <ToDesks signed={signed} /> : null}
      <p class="quiet">Copy the link now: this page does not keep it. You can sign again at any time.</p>
    </>
  )
}
