import { useSignal } from '@preact/signals'
import type { ProviderIdentity } from '@remit/client'
import { Button } from '../../../design/Button.tsx'
import { Card, Note } from '../../../design/Card.tsx'
import { Copy } from '../../../design/values/Address.tsx'
import { live } from '../../../page/live.ts'
import { ProviderMark } from '../../../plan/ProviderMark.tsx'
import { isMine } from '../../../subject/subject.ts'
import { signText } from '../../../wallet/signText.ts'
import { connected } from '../../../wallet/wallet.ts'
import { walletErrorWords } from '../../../wallet/walletErrorWords.ts'

/** Why a domain is proven or not, by the service's reason. */
const DOMAIN_REASONS: Readonly<Record<NonNullable<ProviderIdentity['domain']>['reason'], string>> = {
  SIGNED: 'Its DNS record names this wallet: two resolvers agree.',
  NOT_LOOKED_UP: 'Nobody has looked it up yet.',
  NOT_A_DOMAIN: 'This is no domain that can be looked up.',
  NO_RECORD: 'Its DNS does not name this wallet.',
  OTHER_SIGNATURE: 'Its DNS record is another wallet’s.',
  RESOLVERS_DISAGREE: 'Two resolvers answer differently.',
  RESOLVER_FAILED: 'It could not be looked up.',
  OUTDATED: 'It was looked up too long ago.',
}

/** Why a domain is not proven, for the provider itself and for others who look. */
export function notProven(reason: NonNullable<ProviderIdentity['domain']>['reason']): string {
  return `${isMine.value ? 'You say' : 'The provider says'} so, and it is not proven. ${DOMAIN_REASONS[reason]}`
}

const profile = live('profile', 'getProviderProfile')

/** The signature of a key, in hex: 65 bytes, or 64 by EIP-2098. A wallet that is a contract gives others. */
const KEY_SIGNATURE = /^0x([0-9a-f]{128}|[0-9a-f]{130})$/i

/** Leads a provider to the proof of its domain: its wallet signs a text, and the signature goes into a TXT record of its DNS. */
export function DomainProof() {
  const signature = useSignal<string | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const isAsking = useSignal(false)
  const known = profile.value
  if (!isMine.value || known.state !== 'there' || known.answer.identity.domain === null) return null
  const { provider, identity } = known.answer
  const { name, state, reason } = known.answer.identity.domain
  if (name === null) {
    return (
      <Card title="Prove your domain">
        <p>{DOMAIN_REASONS[reason]} Give it in your profile as shop.example, without https://.</p>
      </Card>
    )
  }
  const text = `${name} belongs to ${provider}`
  const sign = async () => {
    const wallet = connected.value
    if (wallet === undefined) return
    isAsking.value = true
    problem.value = undefined
    try {
      signature.value = await signText(wallet, text)
    } catch (error) {
      problem.value = walletErrorWords(error)
    }
    isAsking.value = false
  }
  return (
    <Card title="Prove your domain" beside={<ProviderMark identity={identity} means={notProven(reason)} />}>
      <div class="stack">
        <p>
          {state === 'verified'
            ? 'Payers see this domain as yours wherever they decide. Leave the record where it is.'
            : `Payers see only that you say so. ${DOMAIN_REASONS[reason]} Sign a text, and put the signature into your domain’s DNS as a TXT record. It is looked for at least once a day; publish your profile again to have it looked for within minutes.`}
        </p>
        {signature.value === undefined ? (
          <>
            <pre class="desk__code">
              <code>{text}</code>
            </pre>
            <Button onClick={sign} isOff={isAsking.value}>
              Sign this text
            </Button>
          </>
        ) : (
          // Where the service looks for it, and everybody else who checks by the protocol's convention.
          <RecordToSet name={`ct.${name}`} value={recordOf(provider, signature.value)} />
        )}
        {problem.value === undefined ? null : <Note kind="bad">{problem.value}</Note>}
      </div>
    </Card>
  )
}

/** The record's value. A contract could confirm any signature, so its record has to name the contract as well. */
function recordOf(provider: string, signature: string): string {
  return KEY_SIGNATURE.test(signature) ? signature : `${provider} ${signature}`
}

function RecordToSet({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <div>
        <p class="desk__label">
          Name of the TXT record <Copy text={name} what="record’s name" />
        </p>
        <p>
          <code>{name}</code>
        </p>
        <p class="quiet">
          Where the form adds your domain by itself, give only <code>ct</code>.
        </p>
      </div>
      <div>
        <p class="desk__label">
          Its value <Copy text={value} what="record’s value" />
        </p>
        <pre class="desk__code">
          <code>{value}</code>
        </pre>
      </div>
    </>
  )
}
