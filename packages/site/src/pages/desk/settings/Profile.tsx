import { useSignal } from '@preact/signals'
import type { GetProviderProfileAnswer } from '@remit/client'
import { Button } from '../../../design/Button.tsx'
import { Card, Facts } from '../../../design/Card.tsx'
import { Shown } from '../../../design/State.tsx'
import { UntrustedLink, UntrustedText } from '../../../design/values/Untrusted.tsx'
import { live } from '../../../page/live.ts'
import { ProviderMark } from '../../../plan/ProviderMark.tsx'
import { askToSign } from '../../../signing/SigningDialog.tsx'
import { isMine } from '../../../subject/subject.ts'
import { chainText, domainProblem, emailProblem, linkProblem } from '../../../words/chainText.ts'
import { ChainField, isReady } from '../plans/DetailFields.tsx'
import { profileRequest } from '../signingRequests.tsx'
import { notProven } from './DomainProof.tsx'

const profile = live('profile', 'getProviderProfile')

const FIELDS = [
  ['company', 'Name', 'Your company’s name, or your own. It stands at the top of each of your plans.'],
  ['description', 'About you', 'In a sentence or two.'],
  ['url', 'Website', 'Beginning with https://.'],
  [
    'domain',
    'Domain',
    'Such as shop.example. Once it is published you can prove here that it is yours, and payers see that. After subscribing, people can be sent back to a page on it.',
  ],
  ['email', 'E-mail', 'For questions. Everybody can read it.'],
  ['misc', 'Anything else', 'For everybody to read.'],
] as const

/** What is wrong with a field, where the service or whoever looks it up would refuse it. */
const PROBLEMS: Partial<Record<string, (text: string) => string | undefined>> = {
  url: linkProblem,
  domain: domainProblem,
  email: emailProblem,
}

/** The card with the provider's profile, which its wallet can edit. */
export function Profile() {
  const isEditing = useSignal(false)
  return (
    <Card
      title="Profile"
      beside={
        isMine.value ? (
          <Button
            isSmall
            onClick={() => {
              isEditing.value = !isEditing.value
            }}
          >
            {isEditing.value ? 'Cancel' : 'Edit'}
          </Button>
        ) : null
      }
    >
      <Shown of={profile} lines={4}>
        {(answer) =>
          isEditing.value ? (
            <ProfileForm
              profile={answer.profile}
              onDone={() => {
                isEditing.value = false
              }}
            />
          ) : (
            <ProfileFacts answer={answer} />
          )
        }
      </Shown>
    </Card>
  )
}

type Known = GetProviderProfileAnswer['profile']

function ProfileFacts({ answer: { profile, identity } }: { readonly answer: GetProviderProfileAnswer }) {
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
          field === 'url' ? (
            <UntrustedLink key={field} url={text} />
          ) : field === 'domain' && identity.domain?.name ? (
            <ProviderMark
              key={field}
              identity={{ ...identity, chainName: null }}
              means={notProven(identity.domain.reason)}
            />
          ) : (
            <UntrustedText key={field} text={text} />
          ),
        ]
      })}
    />
  )
}

function ProfileForm({ profile, onDone }: { readonly profile: Known; onDone(): void }) {
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isReady(event.currentTarget)) return
        const form = new FormData(event.currentTarget)
        const read = (name: string) => chainText(String(form.get(name) ?? ''))
        askToSign({
          ...profileRequest({
            company: read('company'),
            description: read('description'),
            url: read('url'),
            domain: read('domain'),
            email: read('email'),
            misc: read('misc'),
          }),
          onDone,
        })
      }}
    >
      {FIELDS.map(([field, name, hint]) => (
        <ChainField
          key={field}
          label={name}
          hint={hint}
          name={field}
          text={profile?.[field] ?? ''}
          problemOf={PROBLEMS[field]}
        />
      ))}
      <Button type="submit" kind="primary">
        Review …
      </Button>
    </form>
  )
}
