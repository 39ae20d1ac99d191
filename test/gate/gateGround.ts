import { createGate, fetchGate, type GateClient, type GateOptions } from '@remit/client/gate'
import {
  type CompleteSIWxInfo,
  createSIWxMessage,
  encodeSIWxHeader,
  type SIWxPayload,
} from '@x402/extensions/sign-in-with-x'
import type { Address, Hex } from 'viem'
import * as z from 'zod'

export const PLAN: Hex = `0x${'ab'.repeat(32)}`
export const GATE = 'https://api.example/members'
const CHAIN_ID = 8453

/** The answer 402 of a gate. */
const Refusal = z.looseObject({
  error: z.string(),
  code: z.string(),
  accepts: z.array(z.looseObject({ extra: z.looseObject({}) })),
  extensions: z.object({
    'sign-in-with-x': z.object({
      info: z.object({
        domain: z.string(),
        uri: z.string(),
        statement: z.string(),
        version: z.string(),
        nonce: z.string(),
        issuedAt: z.string(),
        expirationTime: z.string(),
        resources: z.array(z.string()),
      }),
      supportedChains: z.array(z.object({ chainId: z.string(), type: z.literal('eip191') })),
    }),
  }),
})

/** What the invented client says of a wallet: through which day it is or was a member, or a failure. */
export type Told = { readonly entitled: boolean; readonly through: string } | Error | undefined

/** A client whose members are said by hand, by wallet or by plan and wallet. It counts what it is asked. */
export function inventedClient(members: Readonly<Record<string, Told>>, plan: { cancelled?: boolean } = {}) {
  const asked: string[] = []
  const client: GateClient = {
    async getMembership({ id, address }) {
      asked.push(address)
      const told = members[`${id} ${address}`] ?? members[address]
      if (told instanceof Error) throw told
      return told && { entitled: told.entitled, paidThrough: { date: told.through, dayNumber: 0 } }
    },
    getSubscription: async () => ({
      subscription: {
        provider: `0x${'11'.repeat(20)}`,
        token: { address: `0x${'22'.repeat(20)}`, symbol: 'USD₮0' },
        amount: '10',
        amountRaw: 10_000_000n,
        frequencyLabel: 'MONTHLY',
        dueDay: 5,
        cancelled: false,
        ...plan,
      },
    }),
  }
  return { client, asked }
}

/** A gate before a handler that welcomes, as a function like `fetch`, and what it was sent. */
export function gateOver(client: GateClient, options: Partial<GateOptions> = {}) {
  const gate = createGate({ url: GATE, chainId: CHAIN_ID, plans: [{ id: PLAN }], client, ...options })
  const handle = fetchGate(gate, (_, { address }) => new Response(`Welcome, ${address}`))
  const sent: Request[] = []
  const send: typeof fetch = (input, init) => {
    const request = new Request(input, init)
    sent.push(request)
    return handle(request)
  }
  return { send, sent, url: options.url ?? GATE }
}

/** Whoever signs: a key, or a wallet that is a contract. */
export interface Signer {
  readonly address: Address
  signMessage(asked: { message: string }): Promise<Hex>
}

/** A refusal of the gate to somebody who shows nothing. */
export async function challenge({ send, url }: Pick<ReturnType<typeof gateOver>, 'send' | 'url'>) {
  return Refusal.parse(await (await send(url)).json())
}

/**
 * The header of somebody who asks the gate, changes its challenge, and signs.
 * @param afterwards changes what is shown without signing it
 */
export async function signedHeader(
  gate: Pick<ReturnType<typeof gateOver>, 'send' | 'url'>,
  signer: Signer,
  changed: Partial<CompleteSIWxInfo> = {},
  afterwards: Partial<SIWxPayload> = {},
): Promise<Record<string, string>> {
  const { info, supportedChains } = (await challenge(gate)).extensions['sign-in-with-x']
  const [chain] = supportedChains
  if (chain === undefined) throw new Error('no chain')
  const fields = { ...info, ...chain, ...changed }
  const signature = await signer.signMessage({ message: createSIWxMessage(fields, signer.address) })
  return {
    'SIGN-IN-WITH-X': encodeSIWxHeader({ ...fields, address: signer.address, signature, ...afterwards }),
  }
}

/** What an answer says: the handler's text, or the gate's code and sentence. */
export async function told(answer: Response) {
  const text = await answer.text()
  if (answer.ok) return { status: answer.status, text }
  const { code, error } = z.looseObject({ code: z.string(), error: z.string() }).parse(JSON.parse(text))
  return { status: answer.status, code, error }
}
