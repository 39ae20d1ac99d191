import { Address, Hash } from '../design/values/Address.tsx'
import { Money } from '../design/values/Money.tsx'
import { Qr } from '../design/values/Qr.tsx'
import { pageData } from '../page/pageData.ts'
import type { MoneyToken } from '../words/money.ts'
import { paymentUri } from './paymentUri.ts'

/** The network's own money. It has no address. */
export const ETHER: MoneyToken = { symbol: 'ETH', address: '' }

/** Money that is missing: as a decimal, and in the smallest unit. */
export interface Lack {
  readonly amount: string
  readonly amountRaw: bigint
}

interface AddMoneyProps {
  /** How much is missing. */
  readonly missing: Lack
  /** `null`: the network's own money. */
  readonly token: MoneyToken | null
  /** The wallet that lacks it. */
  readonly address: string
}

/** Where money that is missing is to be sent: how much of which token, on which network, to which address. */
export function AddMoney({ missing: { amount, amountRaw }, token, address }: AddMoneyProps) {
  const { chain } = pageData
  if (chain === null) return null
  const uri = paymentUri({ chainId: chain.chainId, token: token?.address ?? null, to: address, amountRaw })
  return (
    <div class="add-money">
      <Qr text={uri} label="QR code of this payment" />
      <p>
        Send{' '}
        <strong>
          <Money amount={amount} token={token ?? ETHER} rounding="up" />
        </strong>{' '}
        or more on <strong>{chain.name}</strong> to this wallet, from an exchange or another wallet:
      </p>
      <div>
        <Address address={address} isLinked={false} isWhole />
        <span class="quiet">
          {' '}
          The QR code and <a href={uri}>this link</a> ask a wallet’s app for just this payment. An exchange
          takes the address alone.
        </span>
      </div>
      <p class="quiet">
        {token === null ? (
          'On another network it does not count.'
        ) : (
          <>
            On another network, or as another token, it does not count. The token’s address:{' '}
            <Hash hash={token.address} what="token’s address" />
          </>
        )}
      </p>
    </div>
  )
}
