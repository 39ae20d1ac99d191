import { Card } from '../../../design/Card.tsx'
import { linkTo, root } from '../../../page/api.ts'
import { subject } from '../../../subject/subject.ts'
import { DomainProof } from './DomainProof.tsx'
import { Profile } from './Profile.tsx'

/** What people read of the provider, and what else belongs to its desk. */
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
            <a href={`${root}/portal`}>API keys and webhooks</a>, for a program of yours
          </li>
        </ul>
      </Card>
    </>
  )
}
