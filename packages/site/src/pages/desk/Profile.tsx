import { useSignal } from '@preact/signals'
import type { GetProviderProfileAnswer } from '@remit/client'
import { openDeed } from '../../deed/DeedDialog.tsx'
import { Button } from '../../design/Button.tsx'
import { Card, Facts } from '../../design/Card.tsx'
import { Field } from '../../design/Field.tsx'
import { Said, SaidLink } from '../../design/Said.tsx'
import { Shown } from '../../design/State.tsx'
import { live } from '../../page/live.ts'
import { isMine } from '../../subject/subject.ts'
import { chainText, limitBytes, MOST_BYTES } from '../../words/chainText.ts'
import { LinkField } from './DetailFields.tsx'
import { profileDeed } from './deeds.tsx'

const profile = live('profile', 'getProviderProfile')

const FIELDS = [
  ['company', 'Name', 'Your company, or yours. It stands at the top of each of your plans.'],
  ['description', 'About you', 'In a sentence or two.'],
  ['url', 'Website', 'Beginning with https://.'],
  ['domain', 'Domain', 'Such as shop.example. After subscribing, people may be sent back to it.'],
  ['email', 'E-mail', 'For questions. Everybody can read it.'],
  ['misc', 'Anything else', 'It can stay empty.'],
] as const

/** What a provider says of itself. */
export function Profile() {
  const isEditing = useSignal(false)
  return (
    <Card
      title="Profile"
      beside={
        isMine.value ? (
          <Button
            isSmall
            isPressed={isEditing.value}
            onClick={() => {
              isEditing.value = !isEditing.value
            }}
          >
            Edit
          </Button>
        ) : null
      }
    >
      <Shown of={profile} lines={4}>
        {(answer) =>
          isEditing.value ? (
            <ProfileForm profile={answer.profile} />
          ) : (
            <ProfileFacts profile={answer.profile} />
          )
        }
      </Shown>
    </Card>
  )
}

type Known = GetProviderProfileAnswer['profile']

function ProfileFacts({ profile }: { readonly profile: Known }) {
  if (profile === null) {
    return (
      <p>
        {isMine.value
          ? 'You have said nothing about yourself yet. People look at who they pay: give at least a name.'
          : 'This provider has said nothing about itself.'}
      </p>
    )
  }
  return (
    <Facts
      rows={FIELDS.map(([field, name]) => {
        const text = profile[field]
        if (text.trim() === '') return undefined
        return [
          name,
          field === 'url' ? <SaidLink key={field} url={text} /> : <Said key={field} text={text} />,
        ]
      })}
    />
  )
}

function ProfileForm({ profile }: { readonly profile: Known }) {
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        const read = (name: string) => chainText(String(form.get(name) ?? ''))
        openDeed(
          profileDeed({
            company: read('company'),
            description: read('description'),
            url: read('url'),
            domain: read('domain'),
            email: read('email'),
            misc: read('misc'),
          }),
        )
      }}
    >
      {FIELDS.map(([field, name, hint]) =>
        field === 'url' ? (
          <LinkField key={field} label={name} hint={hint} most={MOST_BYTES} url={profile?.url ?? ''} />
        ) : (
          <Field key={field} label={name} hint={hint}>
            {(control) => (
              <input
                {...control}
                name={field}
                type="text"
                onInput={limitBytes}
                defaultValue={profile?.[field] ?? ''}
              />
            )}
          </Field>
        ),
      )}
      <Button type="submit" kind="primary">
        Review …
      </Button>
    </form>
  )
}
