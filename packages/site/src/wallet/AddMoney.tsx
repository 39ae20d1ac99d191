import { Address, Hash } from '../design/Address.tsx'
import { Money } from '../design/Money.tsx'
import { Qr } from '../design/Qr.tsx'
import { pageData } from '../page/pageData.ts'
import type { MoneyToken } from '../words/money.ts'

/** The network's own money. It has no address. */
export const ETHER: MoneyToken = { symbol: 'ETH', address: '' }

interface AddMoneyProps {
  /** How much is missing. */
  readonly amount: string
  /** `null`: the network's own money. */
  readonly token: MoneyToken | null
  /** The wallet that lacks it. */
  readonly address: string
}

/** Where money that is missing is to be sent: how much of which token, on which network, to which address. */
export function AddMoney({ amount, token, address }: AddMoneyProps) {
  return (
    <div class="add-money">
      <Qr text={address} label="QR code of the wallet’s address" />
      <p>
        Send{' '}
        <strong>
          <Money amount={amount} token={token ?? ETHER} rounding="up" />
        </strong>{' '}
        or more on <strong>{pageData.chain?.name}</strong> to this wallet, from an exchange or another wallet:
      </p>
      <div>
        <Address address={address} isLinked={false} isWhole />
        <span class="quiet"> The QR code holds this address alone, without the amount.</span>
      </div>
      <p class="quiet">
        {token === null ? (
          'On another network it does not count.'
        ) : (
          <>
            The token’s address is <Hash hash={token.address} what="token’s address" /> On another network, or
            as another token, it does not count.
          </>
        )}
      </p>
    </div>
  )
}
