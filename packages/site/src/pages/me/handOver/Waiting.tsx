import { useSignal } from '@preact/signals'
import type { OutlookToken, Token } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { useEffect } from 'preact/hooks'
import { Note } from '../../../design/Card.tsx'
import { When } from '../../../design/values/When.tsx'
import { chainNow } from '../../../page/live.ts'
import { Permitted } from '../../../permit/Permitted.tsx'
import { type SeenPermission, seenSigned } from '../../../permit/seenSigned.ts'
import { signer } from '../../../signing/startSigning.ts'
import { subject } from '../../../subject/subject.ts'
import { readNonce } from '../../../wallet/tokenReads.ts'

/** A note of what this browser has seen signed for somebody else to carry, as long as it can still be carried. */
export function Waiting({ row: { token } }: { readonly row: Pick<OutlookToken, 'token'> }) {
  const owner = subject.value
  // Deadlines go by the chain's clock.
  const now = chainNow.value?.block?.timestamp ?? Date.now() / 1000
  const seen = owner === undefined ? [] : seenSigned(owner, token).filter(({ deadline }) => deadline >= now)
  const nonce = useNonce(token, seen.length > 0)
  const [newest, ...earlier] = seen.filter((one) => one.nonce === nonce)
  if (newest === undefined) return null
  return (
    <Note>
      <p>
        {newest.raw === 0n ? (
          'You have signed that the permission is taken back.'
        ) : (
          <>
            You have signed a permission of <Allowed signed={newest} token={token} /> in all.
          </>
        )}{' '}
        It waits to be carried by somebody until <Until signed={newest} />, and does not count before.
      </p>
      {earlier.map((one) => (
        <p key={String(one.raw)}>
          {one.raw === 0n ? (
            'An earlier one, which takes the permission back,'
          ) : (
            <>
              An earlier one, of <Allowed signed={one} token={token} /> in all,
            </>
          )}{' '}
          can be carried instead until <Until signed={one} />: only the one that is carried first counts.
        </p>
      ))}
    </Note>
  )
}

interface SignedProps {
  readonly signed: SeenPermission
}

function Allowed({ signed: { raw }, token }: SignedProps & { readonly token: Token }) {
  return <Permitted quantity={{ amount: formatHuman(raw, token.decimals), amountRaw: raw }} token={token} />
}

function Until({ signed: { deadline } }: SignedProps) {
  return <When at={new Date(deadline * 1000)} />
}

/** The owner's next permit nonce at the token, read again with each block that the page shows; `undefined` while not known. */
function useNonce({ address }: Token, isAsked: boolean): bigint | undefined {
  const nonce = useSignal<bigint | undefined>(undefined)
  const now = signer.value
  const block = chainNow.value?.block?.blockNumber
  useEffect(() => {
    if (!isAsked || now === undefined) return
    let isLate = false
    const show = (answer: bigint | undefined) => {
      if (!isLate) nonce.value = answer
    }
    readNonce(now, address).then(show, () => show(undefined))
    return () => {
      isLate = true
    }
  }, [now, address, block, isAsked])
  return nonce.value
}
