import { NetworkError, UnexpectedAnswerError } from '@remit/client/testing/errors/RemitError'
import { SendingError } from '@remit/client/testing/sending/SendingError'
import { describe, expect, it } from 'vitest'
import { trials, trialsTimeoutMs } from '../../support/runner/trials.ts'
import { lie } from '../lying/Lie.ts'
import { LieTable } from '../lying/LieTable.ts'
import { allLies } from '../lying/lies.ts'
import { type FlowCase, useLyingGround, type WalletKind } from '../lying/useLyingGround.ts'

const { proxy, attacker, flows, chainId, ask } = await useLyingGround()
const lies = allLies(attacker)

/** Wallets, and the chain that the caller names; `undefined` leaves it to the wallet. */
const ways: readonly { readonly wallet: WalletKind; readonly named: number | undefined }[] = [
  { wallet: 'with wallet_sendCalls', named: chainId },
  { wallet: 'without', named: undefined },
  { wallet: 'with a key of its own', named: undefined },
]
/** A lie meets each flow in one of the ways here, and in every one of them at night. */
const waysEach = trials({ short: 1, nightly: 3 })
const table = new LieTable(Object.keys(flows))

function wayAt(index: number) {
  const way = ways[index]
  if (way === undefined) throw new Error(`there is no way ${index}`)
  return way
}

/** What the wallets are asked where nobody lies. */
async function askedHonestly(flow: FlowCase): Promise<string[]> {
  proxy.begin(undefined)
  const all = await Promise.all(
    ways.map(({ wallet, named }) => ask(flow, wallet, named, { beforehand: true })),
  )
  return all.map(({ requests, failure }) => {
    expect(failure).toBeInstanceOf(SendingError)
    expect(failure).toMatchObject({ code: expect.stringMatching(/^(USER_REJECTED|NOT_SENT)$/) })
    expect(requests.length).toBeGreaterThan(0)
    return JSON.stringify(requests)
  })
}

it('asks a service for nothing where nothing was shown', async () => {
  for (const flow of Object.values(flows)) {
    proxy.begin(lie('was asked for', () => Promise.reject(new Error('it is asked for'))))
    const { requests } = await ask(flow, 'without', undefined)
    expect(requests.length).toBeGreaterThan(0)
    expect(proxy.untold()).toBeUndefined()
  }
})

it('knows at least fifty lies, each with its own name', () => {
  expect(lies.length).toBeGreaterThanOrEqual(50)
  expect(new Set(lies.map(({ name }) => name)).size).toBe(lies.length)
})

describe.each(Object.entries(flows))('%s', (name, flow) => {
  it(
    'asks the wallet for what the honest service leads to, or for nothing, whatever the service has shown',
    async () => {
      const honest = await askedHonestly(flow)
      for (const [place, lie] of lies.entries()) {
        proxy.begin(lie)
        const asking = async (index: number) => {
          const { wallet, named } = wayAt(index)
          const { requests, failure } = await ask(flow, wallet, named, { beforehand: true })
          const where = `${name}, a service whose answer ${lie.name}, a wallet ${wallet}, chain ${named ?? 'of the wallet'}`
          if (requests.length === 0) return refusalOf(failure, where)
          expect(JSON.stringify(requests), where).toBe(honest[index])
          return 'same'
        }
        // The next flow takes the next way: so a lie meets all of them, whatever it is about.
        const begun = place + Object.keys(flows).indexOf(name)
        const taken = Array.from({ length: waysEach }, (_, index) => (begun + index) % ways.length)
        const [first, ...others] = taken.map((index) => () => asking(index))
        const outcome = await first?.()
        const untold = proxy.untold()
        const outcomes = untold === undefined ? await Promise.all(others.map((other) => other())) : []
        table.note(lie.name, name, [String(outcome), ...outcomes], untold)
      }
    },
    trialsTimeoutMs(30_000),
  )
})

/** The name by which it was refused. */
function refusalOf(failure: unknown, where: string): string {
  if (failure instanceof SendingError) return failure.code
  if (failure instanceof UnexpectedAnswerError || failure instanceof NetworkError) return failure.name
  throw new Error(`${where}: it is not refused by name`, { cause: failure })
}

it('fills every cell of the table of lies and flows', async () => {
  expect(table.holes(lies.map(({ name }) => name))).toEqual([])
  console.log(table.text())
  await expect(table.text()).toMatchFileSnapshot('../lying/lies-and-flows.txt')
})
