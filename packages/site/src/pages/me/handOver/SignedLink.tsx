import type { SignedPermit } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { Note } from '../../../design/Card.tsx'
import { When } from '../../../design/values/When.tsx'
import { linkTo } from '../../../page/api.ts'
import { pageData } from '../../../page/pageData.ts'
import { Permitted } from '../../../permit/Permitted.tsx'
import { writePermit } from '../../../permit/permitText.ts'
import { signedRaw } from '../../../permit/signedRaw.ts'
import { ShareLink } from '../../../signed/ShareLink.tsx'
import { momentUtcWords } from '../../../words/time.ts'
import type { HandOver } from './handOver.ts'
import { ToDesks } from './ToDesks.tsx'

interface SignedLinkProps {
  readonly signed: SignedPermit
  readonly asked: HandOver
}

/** A signed permission as a link to give away, and what whoever has it can do with it. */
export function SignedLink({ signed, asked: { token, lack } }: SignedLinkProps) {
  const link = `${location.origin}${linkTo('/carry')}#${writePermit(signed)}`
  const until = new Date(signed.deadline * 1000)
  const raw = signedRaw(signed)
  const quantity = { amount: formatHuman(raw, token.decimals), amountRaw: raw }
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
        subject="Can you bring something that I signed to the network?"
        words={mailWords(raw, until, lack !== undefined)}
      />
      <p>
        The link works until <When at={until} />. Until then whoever has it can set your permission to{' '}
        <Permitted quantity={quantity} token={token} />
        {raw === 0n ? '' : ' in all'}, even if you change it before.{' '}
        {raw === 0n
          ? null
          : 'Once that is done, the permission stays after this day too, until it is used up or you take it back. '}
        They can take nothing themselves.
      </p>
      {pageData.keepsRescues && raw > 0n ? <ToDesks signed={signed} /> : null}
      <p class="quiet">Copy the link now: this page does not keep it. You can sign again at any time.</p>
    </>
  )
}

/** The text of a mail to a friend, who has never heard of permissions. */
function mailWords(raw: bigint, until: Date, lacksEther: boolean): string {
  const what =
    raw === 0n
      ? 'I have signed that nothing more may be taken from my wallet for subscriptions'
      : 'I have signed how much may be taken from my wallet for my subscriptions'
  const why = lacksEther ? ', and my wallet has too little ETH for the network’s fee' : ''
  return `${what}. It counts once somebody has brought it to the network${why}. Can you do that for me, before ${momentUtcWords(until)}? This link opens a page that says what it does. You sign one transaction with your own wallet: it costs you the network’s fee and nothing else.`
}
