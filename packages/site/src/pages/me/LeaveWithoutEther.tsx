import type { Token } from '@remit/client'
import { Button } from '../../design/Button.tsx'
import { Note } from '../../design/Card.tsx'
import { askToSign } from '../../signing/SigningDialog.tsx'
import { revokeRequest } from './revokeRequest.tsx'

/** How a wallet without ether stops the payments of its only subscription in a token: leaving cannot be signed for others to carry. */
export function LeaveWithoutEther({ token }: { readonly token: Token }) {
  return (
    <Note>
      <p>
        Without ETH you can stop the payments all the same: sign that the permission is taken back, and
        somebody else carries it. The next payment then fails, and that ends the subscription.
      </p>
      <Button isSmall onClick={() => askToSign(revokeRequest(token, 1))}>
        Take the permission back …
      </Button>
    </Note>
  )
}
