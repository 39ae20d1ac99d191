import { describe, expect, it } from 'vitest'
import { NetworkError, UnexpectedAnswerError } from '../../client/src/errors/transport.ts'
import { SendingError } from '../../client/src/sending/SendingError.ts'
import { LieTable } from './lying/LieTable.ts'
import { allLies } from './lying/lies.ts'
import { type FlowCase, useLyingGround, type WalletKind } from './lying/useLyingGround.ts'

const { proxy, attacker, flows, chainId, ask } = await useLyingGround()
const lies = allLies(attacker)

/** Wallets, and the chain that the caller names; `undefined` leaves it to the wallet. */
const ways: readonly { readonly wallet: WalletKind; readonly named: number | undefined }[] = [
  { wallet: 'with wallet_sendCalls', named: chainId },
  { wallet: 'with wallet_sendCalls', named: undefined },
  { wallet: 'without', named: chainId },
  { wallet: 'without', named: undefined },
  { wallet: 'with a key of its own', named: undefined },
]
const table = new LieTable(Object.keys(flows))

/** What the wallets are asked where nobody lies. */
async function askedHonestly(flow: FlowCase): Promise<string[]> {
  proxy.begin(undefined)
  const all = await Promise.all(ways.map(({ wallet, named }) => ask(flow, wallet, named)))
  return all.map(({ requests, failure }) => {
    expect(failure).toBeInstanceOf(SendingError)
    expect(failure).toMatchObject({ code: expect.stringMatching(/^(USER_REJECTED|NOT_SENT)$/) })
    expect(requests.length).toBeGreaterThan(0)
    return JSON.stringify(requests)
  })
}

it('knows at least fifty lies, each by a name of its own', () => {
  expect(lies.length).toBeGreaterThanOrEqual(50)
  expect(new Set(lies.map(({ name }) => name)).size).toBe(lies.length)
})

describe.each(Object.entries(flows))('%s', (name, flow) => {
  it('asks the wallet for what the honest service leads to, or for nothing, whatever the service says', async () => {
    const honest = await askedHonestly(flow)
    for (const lie of lies) {
      proxy.begin(lie)
      const asking = async ({ wallet, named }: (typeof ways)[number], index: number) => {
        const { requests, failure } = await ask(flow, wallet, named)
        const where = `${name}, a service whose answer ${lie.name}, a wallet ${wallet}, chain ${named ?? 'of the wallet'}`
        if (requests.length === 0) return refusalOf(failure, where)
        expect(JSON.stringify(requests), where).toBe(honest[index])
        return 'same'
      }
      const [first, ...others] = ways.map((way, index) => () => asking(way, index))
      const outcome = await first?.()
      const untold = proxy.untold()
      const outcomes = untold === undefined ? await Promise.all(others.map((other) => other())) : []
      table.note(lie.name, name, [String(outcome), ...outcomes], untold)
    }
  })
})

/** The name by which it was refused. */
function refusalOf(failure: unknown, where: string): string {
  if (failure instanceof SendingError) return failure.code
  if (failure instanceof UnexpectedAnswerError || failure instanceof NetworkError) return failure.name
  throw new Error(`${where}: it is not refused by name`, { cause: failure })
}

it('leaves no hole in the table of lies and flows', async () => {
  expect(table.holes(lies.map(({ name }) => name))).toEqual([])
  console.log(table.text())
  await expect(table.text()).toMatchFileSnapshot('lying/lies-and-flows.txt')
})
