import { Note } from '../design/Card.tsx'
import type { Sponsor } from './sponsor.ts'

/** Says who offers to pay the network's fee, near the button that signs. The wallet asks them; this page cannot know whether they will. */
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
