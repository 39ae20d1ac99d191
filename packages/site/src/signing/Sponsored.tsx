import { Note } from '../design/Card.tsx'
import type { Sponsor } from './sponsor.ts'

/** Stands near the button that has it signed. Whether the offer is kept is between the wallet and the host. */
export function Sponsored({ sponsor }: { readonly sponsor: Sponsor | undefined }) {
  if (sponsor === undefined) return null
  return (
    <Note kind="good">
      <p>
        <bdi>{sponsor.host}</bdi> offers to pay the network fee.
      </p>
    </Note>
  )
}
