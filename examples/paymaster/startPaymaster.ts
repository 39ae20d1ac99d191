import { createServer } from 'node:http'
import { type Address, createPublicClient, type Hex, http, numberToHex } from 'viem'
import { entryPoint07Address } from 'viem/account-abstraction'
import { privateKeyToAccount } from 'viem/accounts'
import * as z from 'zod'
import { Budget } from './Budget.ts'
import { Refused } from './Refused.ts'
import { Sponsor } from './Sponsor.ts'
import { UserOperation } from './UserOperation.ts'

export interface PaymasterSettings {
  readonly rpcUrl: string
  /** The protocol's contract, where the chain is none that the client knows by itself. */
  readonly contract: Address | undefined
  /** The plans' ids, in small letters. */
  readonly plans: readonly Hex[]
  /** What each plan may pay in all, in wei. */
  readonly budgetWei: bigint
  readonly mostWeiPerOperation: bigint
  readonly paymaster: Address
  readonly factory: Address
  /** Any account that the factory has deployed. */
  readonly sampleAccount: Address
  readonly signerKey: Hex
  /** The file that says what was granted and spent. */
  readonly ledger: string
  /** The sponsor's name, which wallets may show. */
  readonly name: string
  readonly port: number
}

const Call = z.object({
  method: z.enum(['pm_getPaymasterStubData', 'pm_getPaymasterData']),
  params: z.tuple([UserOperation, z.string(), z.string()]).rest(z.unknown()),
})
const Id = z.object({ id: z.union([z.number(), z.string(), z.null()]) }).catch({ id: null })

const MOST_BYTES = 65_536
/** Each asks the node a good deal. */
const MOST_AT_ONCE = 4

/** A paymaster service by ERC-7677, for EntryPoint 0.7. Returns its address. */
export async function startPaymaster(settings: PaymasterSettings): Promise<string> {
  const { rpcUrl, contract, factory, ledger, plans } = settings
  const chain = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 })
  const chainId = await chain.getChainId()
  const proxyCode = await chain.getCode({ address: settings.sampleAccount })
  if (proxyCode === undefined) throw new Error(`the sample account ${settings.sampleAccount} has no code`)
  const sponsor = new Sponsor({
    chain,
    ground: { node: rpcUrl, chainId, contracts: contract === undefined ? {} : { [chainId]: contract } },
    entryPoint: entryPoint07Address,
    paymaster: settings.paymaster,
    signer: privateKeyToAccount(settings.signerKey),
    accounts: { factory, proxyCode },
    budget: new Budget(ledger, new Map(plans.map((plan) => [plan, settings.budgetWei]))),
    mostWei: settings.mostWeiPerOperation,
  })

  /** Throws Refused, or what the node fails with. */
  async function resultOf(asked: unknown): Promise<object> {
    const { data: call } = Call.safeParse(asked)
    if (call === undefined) throw new Refused('this is no request for EntryPoint 0.7 by ERC-7677')
    const [operation, entryPoint, asksFor] = call.params
    const isHere =
      entryPoint.toLowerCase() === entryPoint07Address.toLowerCase() && Number(asksFor) === chainId
    if (!isHere) throw new Refused(`this is not for EntryPoint 0.7 on chain ${chainId}`)
    const isStub = call.method === 'pm_getPaymasterStubData'
    const fields = isStub ? await sponsor.stub(operation) : await sponsor.sign(operation)
    return {
      ...fields,
      paymasterVerificationGasLimit: numberToHex(fields.paymasterVerificationGasLimit),
      paymasterPostOpGasLimit: numberToHex(fields.paymasterPostOpGasLimit),
      ...(isStub ? { sponsor: { name: settings.name } } : {}),
    }
  }

  async function answer(body: string): Promise<object> {
    const asked = readJson(body)
    const { id } = Id.parse(asked)
    try {
      return { jsonrpc: '2.0', id, result: await resultOf(asked) }
    } catch (error) {
      const isRefused = error instanceof Refused
      if (!isRefused) console.error(error)
      const message = isRefused ? error.message : 'it could not be looked at: try again'
      return { jsonrpc: '2.0', id, error: { code: isRefused ? -32_602 : -32_603, message } }
    }
  }

  let underWay = 0
  const server = createServer(async (request, response) => {
    // Wallets ask from wherever they run. There is no cookie and no key here that another page could borrow.
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader('Access-Control-Allow-Headers', 'Content-Type')
    if (request.method !== 'POST') {
      response.writeHead(request.method === 'OPTIONS' ? 204 : 405).end()
      return
    }
    if (underWay >= MOST_AT_ONCE) {
      response.writeHead(503, { 'Retry-After': '1' }).end()
      return
    }
    underWay += 1
    try {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) {
        body += chunk
        if (body.length > MOST_BYTES) {
          response.writeHead(413, { Connection: 'close' }).end()
          return
        }
      }
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify(await answer(body)))
    } catch {
      // Whoever asked has gone.
      response.destroy()
    } finally {
      underWay -= 1
    }
  })
  await new Promise<void>((resolve) => server.listen(settings.port, '127.0.0.1', resolve))
  const listening = server.address()
  const port = typeof listening === 'object' && listening !== null ? listening.port : settings.port
  return `http://127.0.0.1:${port}`
}

function readJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
