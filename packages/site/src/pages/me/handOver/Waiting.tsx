import type { OutlookToken } from '@remit/client'
import { formatHuman } from '@remit/protocol/amounts'
import { Note } from '../../../design/Card.tsx'
import { When } from '../../../design/When.tsx'
import { Permitted } from '../../../permit/Permitted.tsx'
import { subject } from '../../../subject/subject.ts'
import { waitingFor } from './waiting.ts'

/** What was signed here for somebody else to carry, as long as nobody has. */
export function Waiting({
  row: { token, allowance },
}: {
  readonly row: Pick<OutlookToken, 'token' | 'allowance'>
}) {
  const owner = subject.value
  const waiting = owner === undefined ? undefined : waitingFor(owner, token, allowance.amountRaw)
  if (waiting === undefined) return null
  const { raw, until } = waiting
  return (
    <Note>
      <p>
        {raw === 0n ? (
          'You have signed that the permission is taken back.'
        ) : (
          <>
            You have signed a permission of{' '}
            <Permitted
              quantity={{ amount: formatHuman(raw, token.decimals), amountRaw: raw }}
              token={token}
            />{' '}
            in all.
          </>
        )}{' '}
        It waits to be carried by somebody until <When at={until} />, and does not count before.
      </p>
    </Note>
  )
}
