import { signal, useSignal } from '@preact/signals'
import type { ListRescuesAnswer, SignedPermit } from '@remit/client'
import { useEffect } from 'preact/hooks'
import type { Address as WalletAddress } from 'viem'
import { Button } from '../../../design/Button.tsx'
import { Card, Note } from '../../../design/Card.tsx'
import { Failed, Loading } from '../../../design/State.tsx'
import { Address } from '../../../design/values/Address.tsx'
import { Table } from '../../../design/values/Table.tsx'
import { When } from '../../../design/values/When.tsx'
import { api, promptApi } from '../../../page/api.ts'
import { pageData } from '../../../page/pageData.ts'
import type { Known } from '../../../page/Resource.ts'
import { carryAllRequest, carryRequest } from '../../../permit/carryRequest.tsx'
import { sessionSecret } from '../../../session/secret.ts'
import { signIn, signInErrorWords } from '../../../session/session.ts'
import { askToSign } from '../../../signing/SigningDialog.tsx'
import { connected } from '../../../wallet/wallet.ts'

type Rescue = ListRescuesAnswer['rescues'][number]

/** How many permissions one reading brings. */
const ROWS = 25

/** The permissions that members have left for the provider `of`; `undefined` before its wallet has signed in. */
const handedIn = signal<{ readonly of: string; readonly known: Known<ListRescuesAnswer> } | undefined>(
  undefined,
)

async function read(provider: WalletAddress): Promise<void> {
  const show = (known: Known<ListRescuesAnswer>) => {
    handedIn.value = { of: provider, known }
  }
  show({ state: 'loading' })
  try {
    show({ state: 'there', answer: await promptApi.listRescues({ provider, first: ROWS }), isStale: false })
  } catch (error) {
    show({ state: 'failed', error })
  }
}

/** Reads the permissions without asking for a signature, if this browser has a session of the provider's wallet. */
async function readInSession(provider: WalletAddress): Promise<void> {
  if (sessionSecret() === undefined) return
  const { session } = await api.getSession({})
  if (session?.address.toLowerCase() === provider.toLowerCase()) await read(provider)
}

/** Permissions that members without ETH have signed and left here: the provider carries them to the network, and pays the fee. */
export function HandedIn({ provider }: { readonly provider: WalletAddress }) {
  useEffect(() => void readInSession(provider).catch(() => {}), [provider])
  const known = handedIn.value?.of === provider ? handedIn.value.known : undefined
  return (
    <Card title="Permissions to carry">
      <div class="stack">
        {known === undefined ? (
          <SignIn provider={provider} />
        ) : known.state === 'loading' ? (
          <Loading lines={2} />
        ) : known.state === 'failed' ? (
          <Failed error={known.error} retry={() => void read(provider)} />
        ) : (
          <Rows answer={known.answer} provider={provider} />
        )}
      </div>
    </Card>
  )
}

/** Only the provider may see what was left for it, so its wallet signs in first. */
function SignIn({ provider }: { readonly provider: WalletAddress }) {
  const problem = useSignal<string | undefined>(undefined)
  const isAsking = useSignal(false)
  const sign = async () => {
    const wallet = connected.value
    if (wallet === undefined) return
    problem.value = undefined
    isAsking.value = true
    try {
      await signIn(wallet, 'Sign in to see what your members have left for you to carry.')
      await read(provider)
    } catch (error) {
      problem.value = signInErrorWords(error)
    }
    isAsking.value = false
  }
  return (
    <>
      <p>
        A member without ETH can sign a permission and send it to your desk. You carry it to the network and
        pay its fee, so that the subscription goes on.
      </p>
      <p class="row">
        <Button isSmall isOff={isAsking.value} onClick={() => void sign()}>
          {isAsking.value ? 'Look in your wallet' : 'Sign in to see them'}
        </Button>
        <span class="quiet">Costs nothing. Nobody else sees what is left here for you.</span>
      </p>
      <div role="alert">{problem.value === undefined ? null : <Note kind="bad">{problem.value}</Note>}</div>
    </>
  )
}

function Rows({
  answer,
  provider,
}: {
  readonly answer: ListRescuesAnswer
  readonly provider: WalletAddress
}) {
  const { rescues, nextCursor } = answer
  if (rescues.length === 0) return <p>Nothing now.</p>
  return (
    <>
      <Table
        caption="Permissions to carry"
        rows={rescues}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Member', isName: true, cell: ({ owner }) => <Address address={owner} /> },
          { title: 'For', cell: ({ subscriptions }) => forWords(subscriptions?.length) },
          { title: 'Until', cell: ({ deadline }) => <When at={new Date(deadline * 1000)} /> },
          {
            title: <span class="unseen">Carry</span>,
            label: 'Carry',
            cell: (rescue) => (
              <Button
                isSmall
                label={`Carry the permission of ${rescue.owner}`}
                onClick={() => askToSign(carryRequest(permitOf(rescue), () => takeOut(provider, [rescue])))}
              >
                Carry …
              </Button>
            ),
          },
        ]}
      />
      {rescues.length === 1 ? null : (
        <p class="row">
          <Button
            isSmall
            onClick={() =>
              askToSign(carryAllRequest(rescues.map(permitOf), () => takeOut(provider, rescues)))
            }
          >
            Carry these {rescues.length} …
          </Button>
          <span class="quiet">In one go where your wallet can, else one by one.</span>
        </p>
      )}
      {nextCursor === null ? null : <p class="quiet">There are more. They come up once these are carried.</p>}
    </>
  )
}

function forWords(count: number | undefined): string {
  if (count === undefined) return 'not known'
  return count === 1 ? 'one subscription' : `${count} subscriptions`
}

/** A row as what the member has signed. It has no chain: the list was asked for the page's. */
function permitOf({ owner, token, value, allowed, deadline, signature }: Rescue): SignedPermit {
  if (pageData.chain === null) throw new Error('a permission without the page’s chain')
  const { chainId } = pageData.chain
  const said = allowed === null ? { value: value.toString() } : { allowed }
  return { chainId, owner, token, ...said, deadline, signature }
}

/** Removes carried permissions from the list at once: the service itself notices a little later. */
function takeOut(provider: string, carried: readonly Rescue[]): void {
  const now = handedIn.peek()
  if (now?.of !== provider || now.known.state !== 'there') return
  const { answer } = now.known
  const rescues = answer.rescues.filter(({ id }) => !carried.some((one) => one.id === id))
  handedIn.value = { of: provider, known: { ...now.known, answer: { ...answer, rescues } } }
}
