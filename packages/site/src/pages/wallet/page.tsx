import './page.css'
import { LinkButton } from '../../design/Button.tsx'
import { Card, Facts } from '../../design/Card.tsx'
import { Empty, Failed, Shown } from '../../design/State.tsx'
import { Address, short } from '../../design/values/Address.tsx'
import { UntrustedLink, UntrustedText } from '../../design/values/Untrusted.tsx'
import { When } from '../../design/values/When.tsx'
import { linkTo } from '../../page/api.ts'
import { pageData } from '../../page/pageData.ts'
import { given } from '../../page/Resource.ts'
import { ProviderMark } from '../../plan/ProviderMark.tsx'
import { useTitle } from '../../subject/useTitle.ts'
import { Income } from './Income.tsx'
import { Offers } from './Offers.tsx'
import { Pays } from './Pays.tsx'

const account = given('account', 'getAccount')
const profile = given('profile', 'getProviderProfile')

/** A wallet as it stands: what it pays, and what it is paid. */
export function Page() {
  const known = account.value
  const shown = known.state === 'there' ? known.answer.account : (pageData.path.address ?? '')
  useTitle(`Wallet ${short(shown)}`)
  if (known.state === 'loading') return null
  if (known.state === 'failed') return <Failed error={known.error} retry={() => location.reload()} />
  const { subscribedTo, subscribedToCount, created, createdCount, account: address } = known.answer
  const isNew = subscribedToCount + createdCount === 0
  return (
    <div class="stack">
      <header class="stack-small">
        <p class="quiet">Wallet</p>
        <h1 class="wallet__name">
          <Address address={address} isLinked={false} isWhole />
        </h1>
        <p class="row">
          <a href={linkTo('/me', { address })}>As a payer</a>
          <a href={linkTo('/desk', { address })}>As a provider</a>
        </p>
      </header>
      <Profile />
      {isNew ? (
        <Empty title="This wallet has no plans and pays for none.">
          <LinkButton href={linkTo('/plans')}>See the plans</LinkButton>
        </Empty>
      ) : null}
      {subscribedTo.length === 0 ? null : (
        <Pays rows={subscribedTo} total={subscribedToCount} address={address} />
      )}
      {created.length === 0 ? null : <Income />}
      {created.length === 0 ? null : <Offers rows={created} total={createdCount} address={address} />}
    </div>
  )
}

function Profile() {
  return (
    <Shown of={profile} lines={2}>
      {({ profile: said, identity }) =>
        said === null ? null : (
          <Card
            title={
              said.company.trim() ? <UntrustedText text={said.company} most={60} /> : 'What it says of itself'
            }
          >
            <div class="stack">
              {said.description.trim() ? (
                <blockquote class="quote">
                  <UntrustedText text={said.description} most={400} />
                </blockquote>
              ) : null}
              <Facts
                rows={[
                  said.url ? (['Page', <UntrustedLink key="url" url={said.url} />] as const) : undefined,
                  said.domain
                    ? ([
                        'Domain',
                        identity.domain?.name ? (
                          <ProviderMark key="domain" identity={identity} />
                        ) : (
                          <UntrustedText key="domain" text={said.domain} most={80} />
                        ),
                      ] as const)
                    : undefined,
                  said.email
                    ? (['Mail', <UntrustedText key="mail" text={said.email} most={80} />] as const)
                    : undefined,
                ]}
              />
              <p class="quiet">
                Written by this wallet’s owner <When at={said.formattedUpdatedAt} />. Nobody has checked it.
              </p>
            </div>
          </Card>
        )
      }
    </Shown>
  )
}
