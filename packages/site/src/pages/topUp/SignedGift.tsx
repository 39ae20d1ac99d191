import { useSignal } from '@preact/signals'
import { RemitError, type SignedTopUp } from '@remit/client'
import { useEffect } from 'preact/hooks'
import { Button } from '../../design/Button.tsx'
import { Note } from '../../design/Card.tsx'
import { Dialog } from '../../design/frame/Dialog.tsx'
import { Money } from '../../design/values/Money.tsx'
import { When } from '../../design/values/When.tsx'
import { linkTo } from '../../page/api.ts'
import { chainNow } from '../../page/live.ts'
import { ShareLink } from '../../signed/ShareLink.tsx'
import { signer } from '../../signing/startSigning.ts'
import { troubleOf } from '../../signing/trouble.ts'
import { openSigning } from '../../wallet/openSigning.ts'
import { momentUtcWords } from '../../words/time.ts'
import { type Lacking, noteGift, toSign } from './gift.ts'
import { writeGift } from './giftText.ts'

type Stage =
  | { readonly kind: 'asking' }
  | { readonly kind: 'signed'; readonly signed: SignedTopUp }
  | { readonly kind: 'failed'; readonly title: string; readonly sentences: readonly string[] }

/** How long a signed gift can be carried: whoever gets the link has to find the time. */
const LASTS_SECONDS = 3 * 86_400

async function sign({ account, token, amountRaw }: Lacking): Promise<Stage> {
  const now = signer.peek()
  if (now === undefined) {
    return { kind: 'failed', title: 'Your wallet is not here', sentences: ['Connect it again.'] }
  }
  const seconds = chainNow.peek()?.block?.timestamp ?? Math.floor(Date.now() / 1000)
  try {
    const { client, wallet } = await openSigning(now)
    const flow = client.topUp({ account, token: token.address, value: amountRaw.toString() })
    const signed = await flow.sign(wallet, { validBefore: seconds + LASTS_SECONDS })
    noteGift(signed)
    return { kind: 'signed', signed }
  } catch (error) {
    if (error instanceof RemitError && error.code === 'AUTHORIZATION_UNSUPPORTED') {
      const sentences = [
        'This token moves no money by a signature. Your wallet needs ETH, and then gives it.',
      ]
      return { kind: 'failed', title: 'Nobody else can carry it for you', sentences }
    }
    return { kind: 'failed', ...troubleOf(error).trouble }
  }
}

/** A dialog that has the wallet sign a gift without sending it, and gives a link: whoever has that can send it to the network. */
export function SignedGift({ lacking }: { readonly lacking: Lacking }) {
  const stage = useSignal<Stage>({ kind: 'asking' })
  useEffect(() => {
    void sign(lacking).then((next) => {
      stage.value = next
    })
  }, [lacking])
  const { value } = stage
  const close = () => {
    toSign.value = undefined
  }
  return (
    <Dialog
      title={value.kind === 'signed' ? 'Send this link to somebody' : 'Sign your gift'}
      isOpen
      onClose={close}
    >
      <div class="stack">
        {value.kind === 'asking' ? (
          <p role="status">
            Your wallet asks you for a signature. It costs nothing, and nothing is sent. Look in your wallet.
          </p>
        ) : value.kind === 'failed' ? (
          <div role="alert">
            <Note kind="mind">
              <p>
                <strong>{value.title}</strong>
              </p>
              {value.sentences.map((sentence) => (
                <p key={sentence}>{sentence}</p>
              ))}
            </Note>
          </div>
        ) : (
          <Signed signed={value.signed} lacking={lacking} />
        )}
        <Button kind={value.kind === 'signed' ? 'primary' : 'plain'} isWide onClick={close}>
          {value.kind === 'signed' ? 'Done' : 'Close'}
        </Button>
      </div>
    </Dialog>
  )
}

function Signed({ signed, lacking }: { readonly signed: SignedTopUp; readonly lacking: Lacking }) {
  const until = new Date(signed.validBefore * 1000)
  const words = `I have signed a gift for a friend’s subscriptions, and my wallet has too little ETH for the network’s fee. Can you carry it until ${momentUtcWords(until)}? It costs you that fee and nothing else.`
  return (
    <>
      <div role="status">
        <Note kind="good">
          <p>
            <strong>It is signed.</strong> It counts once somebody who has ETH has opened this link and
            carried it: your friend’s provider, say.
          </p>
        </Note>
      </div>
      <ShareLink
        link={`${location.origin}${linkTo('/top-up')}#${writeGift(signed)}`}
        what="your signed gift"
        subject="Please carry a gift for me"
        words={words}
      />
      <p>
        Whoever has it can move <Money amount={lacking.amount} token={lacking.token} /> from your wallet to
        your friend’s, once, until <When at={until} />, and to nobody else.
      </p>
    </>
  )
}
