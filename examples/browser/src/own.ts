/** One page over the client: prepare, show, and have that very answer signed. */
import { createClient, type PrepareSubscribeByIdAnswer } from '@remit/client'
import type { Address, EIP1193Provider } from 'viem'
import { planIn } from './planIn.ts'
import { connect, findWallets } from './wallets.ts'

/** Decided when the page is built: see build.ts. */
declare const REMIT_SERVICE: string
declare const REMIT_CONTRACTS: Readonly<Record<number, Address>>

const client = createClient({ url: REMIT_SERVICE, contracts: REMIT_CONTRACTS })

async function start(): Promise<void> {
  const id = planIn(location.search)
  if (id === undefined) throw new Error('Name a plan in the address: ?plan=0x…')
  const { subscription, chainId } = await client.getSubscription({ id })
  const { amount, token, frequencyLabel } = subscription
  part('price').textContent = `${amount} ${token.symbol ?? token.address}, ${frequencyLabel.toLowerCase()}`
  // The chain is held to what this page shows, and the wallet to the chain of the plan.
  const flow = client.subscribe({ id, chainId, terms: { ...subscription, token: token.address } })

  async function review(provider: EIP1193Provider): Promise<void> {
    const wallet = await connect(provider)
    const prepared = await flow.prepare(wallet.account.address)
    show(prepared, wallet.account.address)
    const sign = part('sign')
    sign.hidden = false
    sign.onclick = () => {
      sign.hidden = true
      told(
        flow
          .send(wallet, {
            prepared,
            switchChain: true,
            onProgress: ({ kind, step, of }) => add('progress', `${kind} ${step}/${of}`),
          })
          .then(({ transactions }) => add('progress', `Subscribed in ${transactions.at(-1)?.hash}`)),
      )
    }
  }

  findWallets((name, provider) => {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = `Connect ${name}`
    button.onclick = () => told(review(provider))
    part('wallets').append(button)
  })
}

/** What leaves the wallet, as the service has seen it when it tried it out, and what the wallet will be asked. */
function show(
  { simulation, unsignedTransactions = [], warnings }: PrepareSubscribeByIdAnswer,
  account: string,
): void {
  part('review').replaceChildren()
  for (const { account: whose, amount, token } of simulation?.balanceChanges ?? []) {
    if (whose === account) add('review', `Your wallet: ${amount} ${token.symbol ?? token.address}`)
  }
  add('review', `To sign: ${unsignedTransactions.length}`)
  for (const { message } of warnings) add('review', message)
}

function add(list: string, text: string): void {
  const item = document.createElement('li')
  item.textContent = text
  part(list).append(item)
}

/** Errors of the client are sentences: see docs/client.md for their classes. */
function told(work: Promise<unknown>): void {
  part('trouble').textContent = ''
  work.catch((error: unknown) => {
    part('trouble').textContent = error instanceof Error ? error.message : String(error)
  })
}

function part(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`The page has no ${id}`)
  return found
}

told(start())
