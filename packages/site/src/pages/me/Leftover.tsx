import { useSignal } from '@preact/signals'
import type { Token } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { useEffect } from 'preact/hooks'
import { Button } from '../../design/Button.tsx'
import { Note } from '../../design/Card.tsx'
import { Money } from '../../design/Money.tsx'
import { askToSign } from '../../signing/SigningDialog.tsx'
import { signer } from '../../signing/startSigning.ts'
import { readAllowance } from '../../wallet/readAllowance.ts'
import { isEndless, symbolOf } from '../../words/money.ts'
import { revokeRequest } from './revokeRequest.tsx'

/**
 * A permission that nothing draws on any more, and the way to take it back. How much is left is read from the wallet's own
 * node. Where that says nothing, the review does.
 */
export function Leftover({ token }: { readonly token: Token }) {
  const left = useSignal<bigint | 'unknown' | undefined>(undefined)
  const read = () => {
    const now = signer.peek()
    if (now === undefined) return
    readAllowance(now, token.address).then(
      (amount) => {
        left.value = amount
      },
      () => {
        left.value = 'unknown'
      },
    )
  }
  useEffect(read, [signer.value, token.address])
  const { value } = left
  if (value === undefined || value === 0n) return null
  return (
    <Note kind="mind">
      <p>
        {value === 'unknown' ? (
          <>
            The contract may still be allowed to take <bdi>{symbolOf(token)}</bdi> from your wallet.
          </>
        ) : (
          <>
            The contract may still take{' '}
            {isEndless({ amountRaw: value }) ? (
              <>
                any amount of <bdi>{symbolOf(token)}</bdi>
              </>
            ) : (
              <Money amount={formatHuman(value, token.decimals)} token={token} />
            )}{' '}
            from your wallet.
          </>
        )}{' '}
        No subscription of yours needs this permission any more.
      </p>
      <Button isSmall onClick={() => askToSign({ ...revokeRequest(token, 0), onDone: read })}>
        Take it back …
      </Button>
    </Note>
  )
}
