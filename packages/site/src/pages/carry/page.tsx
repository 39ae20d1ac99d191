import '../../subject/subject.css'
import './page.css'
import { signal, useSignal } from '@preact/signals'
import type { SignedPermit } from '@remit/client'
import { useMemo } from 'preact/hooks'
import { LinkButton } from '../../design/Button.tsx'
import { Empty, Failed, Loading } from '../../design/State.tsx'
import { linkToChain } from '../../page/api.ts'
import { pageData } from '../../page/pageData.ts'
import { readPermit } from '../../permit/permitText.ts'
import { signedRaw } from '../../permit/signedRaw.ts'
import { useSignerRead } from '../../permit/useSignerRead.ts'
import { SigningDialog } from '../../signing/SigningDialog.tsx'
import { signer } from '../../signing/startSigning.ts'
import { Offer } from './Offer.tsx'
import { readPermission, voidWords } from './permission.ts'

/** What the link holds. It stands behind the "#", because a signature must reach no server’s log. */
const fragment = signal(location.hash.slice(1))
addEventListener('hashchange', () => {
  fragment.value = location.hash.slice(1)
})

/** A permission that somebody has only signed: whoever opens its link can carry it, that is send it to the network and pay the fee. */
export function Page() {
  return (
    <div class="carry subject__page stack">
      <h1>Help with somebody’s subscriptions</h1>
      <SigningDialog />
      <Linked text={fragment.value} />
    </div>
  )
}

function Linked({ text }: { readonly text: string }) {
  const signed = useMemo(() => readPermit(text), [text])
  if (signed === undefined) {
    return (
      <Empty title="This link is not complete.">
        <p>It holds no permission that can be read. Ask whoever sent it to you for the whole link.</p>
      </Empty>
    )
  }
  if (signed.chainId !== pageData.chain?.chainId) return <OtherChain chainId={signed.chainId} />
  return <Signed key={text} signed={signed} />
}

function OtherChain({ chainId }: Pick<SignedPermit, 'chainId'>) {
  const other = pageData.chains.find((chain) => chain.chainId === chainId)
  return (
    <Empty
      title={
        other === undefined
          ? 'This link is for a network that is not served here.'
          : `This link is for ${other.name}.`
      }
    >
      {other === undefined ? (
        <p>Ask whoever sent it to you where it can be opened.</p>
      ) : (
        <LinkButton kind="primary" href={`${linkToChain(chainId)}${location.hash}`}>
          Open it there
        </LinkButton>
      )}
    </Empty>
  )
}

function Signed({ signed }: { readonly signed: SignedPermit }) {
  const isCarried = useSignal(false)
  const { known, read } = useSignerRead(() => readPermission(signed, signer.peek()))
  const { value } = known
  if (value.state === 'loading') return <Loading lines={14} />
  if (value.state === 'there') {
    return <Offer signed={signed} permission={value.answer} isCarried={isCarried} />
  }
  const why = voidWords(value.error, signedRaw(signed) === 0n)
  if (why === undefined) return <Failed error={value.error} retry={() => read()} />
  return (
    <Empty title={why}>
      <p>Nothing is left to do with it. Its owner can sign again under “My subscriptions”.</p>
    </Empty>
  )
}
