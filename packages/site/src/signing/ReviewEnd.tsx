import { Button } from '../design/Button.tsx'
import { etherLack } from './etherLack.ts'
import { ReviewFoot } from './ReviewFoot.tsx'
import { Sponsored } from './Sponsored.tsx'
import type { Phase, SigningRun } from './startSigning.ts'

interface ReviewEndProps {
  readonly run: SigningRun
  readonly phase: Extract<Phase, { kind: 'review' }>
  readonly close: () => void
}

/** The lower part of a review: what to mind, and the buttons. If the wallet lacks ether, the way that takes none comes first. */
export function ReviewEnd({ run, phase, close }: ReviewEndProps) {
  const { prepared, sponsor, send, signAlone } = phase
  const lacksEther = etherLack(prepared.warnings, sponsor) !== undefined
  const go = () => {
    close()
    signAlone?.()
  }
  const alone = signAlone === undefined ? null : <SignAlone isFirst={lacksEther} go={go} />
  return (
    <>
      {lacksEther ? alone : null}
      <ReviewFoot prepared={prepared} sponsor={sponsor} />
      <Sponsored sponsor={sponsor} />
      <div class="signing__buttons">
        {lacksEther ? (
          <>
            <Button kind={alone === null ? 'primary' : 'plain'} onClick={run.lookAgain}>
              Look again
            </Button>
            <Button kind="quiet" onClick={send}>
              {run.verb} anyway
            </Button>
          </>
        ) : (
          <Button kind={run.isGrave ? 'danger' : 'primary'} onClick={send}>
            {run.verb}
          </Button>
        )}
        <Button kind="quiet" onClick={close}>
          Back
        </Button>
      </div>
      {lacksEther ? null : alone}
    </>
  )
}

/** Offers the way without a transaction: another dialog has a permission signed, and gives a link to it. */
function SignAlone({ isFirst, go }: { readonly isFirst: boolean; go(): void }) {
  return (
    <div class="stack-small">
      <Button kind={isFirst ? 'primary' : 'plain'} isWide onClick={go}>
        Sign it – somebody else can carry it
      </Button>
      <p class="quiet">
        Your wallet needs no ETH for that. You get a link, and whoever opens it can carry what you have signed
        to the network and pay the network’s fee.
      </p>
    </div>
  )
}
