import { useSignal } from '@preact/signals'
import { RemitError, type SignedPermit } from '@remit/client'
import { useEffect } from 'preact/hooks'
import { Button } from '../../../design/Button.tsx'
import { Note } from '../../../design/Card.tsx'
import { Dialog } from '../../../design/frame/Dialog.tsx'
import { chainNow, readAgain } from '../../../page/live.ts'
import { noteSigned } from '../../../permit/seenSigned.ts'
import { LackOfEther } from '../../../signing/LackOfEther.tsx'
import { signer } from '../../../signing/startSigning.ts'
import { type Trouble, troubleOf } from '../../../signing/trouble.ts'
import { openSigning } from '../../../wallet/openSigning.ts'
import { readNonce } from '../../../wallet/tokenReads.ts'
import { type HandOver, handedOver } from './handOver.ts'
import { SignedLink } from './SignedLink.tsx'

type Stage =
  | { readonly kind: 'asking' }
  | { readonly kind: 'signed'; readonly signed: SignedPermit }
  | { readonly kind: 'failed'; readonly trouble: Trouble }
  /** The token takes no permission that was only signed. */
  | { readonly kind: 'unsupported' }

/** How long the link works: whoever gets it has to find the time. */
const LASTS_SECONDS = 3 * 86_400

async function sign({ token, approvalPeriods, most }: HandOver): Promise<Stage> {
  const now = signer.peek()
  if (now === undefined) return { kind: 'failed', trouble: NO_WALLET }
  const seconds = chainNow.peek()?.block?.timestamp ?? Math.floor(Date.now() / 1000)
  try {
    const { client, wallet } = await openSigning(now)
    const flow =
      approvalPeriods === undefined
        ? client.revokeAllowance({ token: token.address })
        : client.extendCoverage({ token: token.address, approvalPeriods })
    const signed = await flow.sign(wallet, { deadline: seconds + LASTS_SECONDS, maxApproval: most })
    // Remembers it for `Waiting.tsx`. If that fails, it is signed all the same.
    await readNonce(now, signed.token).then(
      (nonce) => noteSigned(signed, nonce),
      () => {},
    )
    return { kind: 'signed', signed }
  } catch (error) {
    const isUnsupported = error instanceof RemitError && error.code === 'PERMIT_UNSUPPORTED'
    return isUnsupported ? { kind: 'unsupported' } : { kind: 'failed', trouble: troubleOf(error).trouble }
  }
}

const NO_WALLET: Trouble = {
  title: 'Your wallet is not here',
  sentences: ['Connect it again, and switch it to the network of this page.'],
  canTryAgain: true,
}

/** The dialog that has the wallet sign a permission, and gives the link by which somebody else can send it to the network. */
export function HandOverDialog({ asked }: { readonly asked: HandOver }) {
  const stage = useSignal<Stage>({ kind: 'asking' })
  const begin = async () => {
    stage.value = { kind: 'asking' }
    stage.value = await sign(asked)
  }
  useEffect(() => void begin(), [asked])
  const close = () => {
    handedOver.value = undefined
    // Perhaps somebody has carried it already.
    void readAgain()
  }
  const { value } = stage
  return (
    <Dialog
      title={value.kind === 'signed' ? 'Send this link to somebody' : 'Sign your permission'}
      isOpen
      onClose={close}
    >
      <div class="stack">
        <Standing stage={value} asked={asked} onAgain={() => void begin()} />
        <Button kind={value.kind === 'signed' ? 'primary' : 'plain'} isWide onClick={close}>
          {value.kind === 'signed' ? 'Done' : 'Close'}
        </Button>
      </div>
    </Dialog>
  )
}

interface StandingProps {
  readonly stage: Stage
  readonly asked: HandOver
  onAgain(): void
}

function Standing({ stage, asked, onAgain }: StandingProps) {
  switch (stage.kind) {
    case 'asking':
      return (
        <p role="status">
          Your wallet asks you for a signature. It costs nothing, and nothing is sent. Look in your wallet.
        </p>
      )
    case 'signed':
      return <SignedLink signed={stage.signed} asked={asked} />
    case 'unsupported':
      return (
        <div role="alert" class="stack">
          <Note kind="mind">
            <p>
              <strong>Nobody else can carry it for you</strong>
            </p>
            <p>
              This token takes permissions only from the wallet itself. So your wallet needs ETH for the
              network’s fee, and then you do it with your wallet.
            </p>
          </Note>
          {asked.lack === undefined ? null : <LackOfEther lack={asked.lack} />}
        </div>
      )
    case 'failed':
      return (
        <div role="alert" class="stack">
          <Note kind="mind">
            <p>
              <strong>{stage.trouble.title}</strong>
            </p>
            {stage.trouble.sentences.map((sentence) => (
              <p key={sentence}>{sentence}</p>
            ))}
          </Note>
          <Button kind="primary" isWide onClick={onAgain}>
            Try again
          </Button>
        </div>
      )
  }
}
