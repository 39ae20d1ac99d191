import { createHmac } from 'node:crypto'
import { Bytes } from '@remit/engine/schema/hex'
import type { Hex } from 'viem'
import * as z from 'zod'

const Status = z.looseObject({ status: z.string(), validationError: z.string().nullish() })
const Built = z.looseObject({
  executionPayload: z.looseObject({ blockHash: Bytes }),
  executionRequests: z.array(Bytes).nullish(),
})

/** Whose word on a block's place counts: what a consensus client tells its node. */
export interface ForkChoice {
  readonly head: Hex
  readonly safe?: Hex | undefined
  readonly finalized?: Hex | undefined
}

const NO_HASH: Hex = `0x${'00'.repeat(32)}`

/** The side of a geth that a consensus client speaks to, in the versions that Osaka wants. */
export class Engine {
  readonly #url: string
  readonly #secret: Uint8Array

  constructor({ engineUrl, secret }: { readonly engineUrl: string; readonly secret: Uint8Array }) {
    this.#url = engineUrl
    this.#secret = secret
  }

  /** Hands a built block to the node, which runs it and keeps it beside its chain. */
  async newPayload(envelope: unknown, beaconRoot: Hex): Promise<Hex> {
    const { executionPayload, executionRequests } = Built.parse(envelope)
    const params = [executionPayload, [], beaconRoot, executionRequests ?? []]
    this.#expectValid(Status.parse(await this.#ask('engine_newPayloadV4', params)))
    return executionPayload.blockHash
  }

  /** Makes a known block the head of the chain, which is a reorg where it does not follow the one before. */
  async chooseFork({ head, safe = NO_HASH, finalized = NO_HASH }: ForkChoice): Promise<void> {
    const choice = { headBlockHash: head, safeBlockHash: safe, finalizedBlockHash: finalized }
    const answer = await this.#ask('engine_forkchoiceUpdatedV3', [choice, null])
    this.#expectValid(z.looseObject({ payloadStatus: Status }).parse(answer).payloadStatus)
  }

  #expectValid({ status, validationError }: z.output<typeof Status>): void {
    if (status !== 'VALID')
      throw new Error(`geth finds the block ${status}: ${validationError ?? 'it says no more'}`)
  }

  async #ask(method: string, params: readonly unknown[]): Promise<unknown> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.#token()}` }
    return askNode(this.#url, method, params, headers)
  }

  /** As the Engine API wants it: signed within the last minute. */
  #token(): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ iat: Math.floor(Date.now() / 1000) })}`
    return `${signed}.${createHmac('sha256', this.#secret).update(signed).digest('base64url')}`
  }
}

const Answer = z.object({
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
})

/** A node's "no". */
export class NodeError extends Error {
  override readonly name = 'NodeError'
  readonly error: { readonly code: number; readonly message: string }

  constructor(method: string, error: { readonly code: number; readonly message: string }) {
    super(`${method}: ${error.message}`)
    this.error = error
  }
}

/** Asks a node one thing. Throws NodeError where it refuses. */
export async function askNode(
  url: string,
  method: string,
  params: readonly unknown[],
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers, body })
  const { result, error } = Answer.parse(await response.json())
  if (error !== undefined) throw new NodeError(method, error)
  return result
}
