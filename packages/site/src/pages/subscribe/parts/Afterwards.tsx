import type { Subscription } from '@remit/client'
import { Leaving } from './Leaving.tsx'
import { Pass } from './Pass.tsx'

interface AfterwardsProps {
  readonly plan: Subscription
  /** The member's wallet. */
  readonly address: string
  /** The block that made it a member. */
  readonly minBlock?: number | undefined
  /** What the provider's profile says. */
  readonly domain: string | undefined
}

/** What a member does next. */
export function Afterwards({ plan, address, minBlock, domain }: AfterwardsProps) {
  return (
    <>
      <Pass plan={plan} address={address} minBlock={minBlock} />
      <Leaving domain={domain} />
    </>
  )
}
