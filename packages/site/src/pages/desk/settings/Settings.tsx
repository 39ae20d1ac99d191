import { Card } from '../../../design/Card.tsx'
import { linkTo, root } from '../../../page/api.ts'
import { subject } from '../../../subject/subject.ts'
import { DomainProof } from './DomainProof.tsx'
import { Profile } from './Profile.tsx'

/** The desk's section with the provider's profile and domain, calendar, webhooks and keys. */
export function Settings() {
  return (
    <>
      <Profile />
      <DomainProof />
      <Card title="Calendar and API">
        <ul class="stack-small">
          <li>
            <a href={linkTo(`/providers/${subject.value}/calendar.ics`)}>A calendar of the due days</a>, for a
            calendar program
          </li>
          <li>
            <a href={`${root}/docs/webhooks`}>Webhooks</a> tell a server of yours at once when somebody
            subscribes, pays or cannot pay. Whoever builds your server can fill in its address.
          </li>
          <li>
            <a href={`${root}/portal`}>Make API keys and webhooks</a>
          </li>
        </ul>
      </Card>
    </>
  )
}
