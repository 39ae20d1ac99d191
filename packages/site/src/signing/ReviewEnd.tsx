import { Button } from '../design/Button.tsx'
import { etherLack } from './etherLack.ts'
import { ReviewFoot } from './ReviewFoot.tsx'
import { Sponsored } from './Sponsored.tsx'
import type { Phase, SigningRun } from './startSigning.ts'

/** What to mind, and the buttons that have it signed or not. */
export function ReviewEnd({
  run,
  phase,
  close,
}: {
  readonly run: SigningRun
  readonly phase: Extract<Phase, { kind: 'review' }>
  readonly close: () => void
}) {
  const { prepared, sponsor, send } = phase
  return (
    <>
      <ReviewFoot prepared={prepared} sponsor={sponsor} />
      <Sponsored sponsor={sponsor} />
      <div class="signing__buttons">
        {etherLack(prepared.warnings, sponsor) === undefined ? (
          <Button kind={run.isGrave ? 'danger' : 'primary'} onClick={send}>
            {run.verb}
          </Button>
        ) : (
          <>
            <Button kind="primary" onClick={run.lookAgain}>
              Look again
            </Button>
            <Button kind="quiet" onClick={send}>
              {run.verb} anyway
            </Button>
          </>
        )}
        <Button kind="quiet" onClick={close}>
          Back
        </Button>
      </div>
    </>
  )
}
