import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import * as z from 'zod'
import { NodeError } from './Engine.ts'
import type { GethActs } from './GethActs.ts'
import type { GethChain } from './GethChain.ts'

const Asked = z.looseObject({ id: z.unknown(), method: z.string(), params: z.array(z.unknown()).default([]) })

/** A geth that also understands what tests ask of anvil, at a URL of its own. */
export interface AnvilFront {
  readonly url: string
  close(): Promise<void>
}

/**
 * Answers anvil's own methods, by making geth's blocks. Everything else, a batch above all, goes to geth as it came
 * and comes back as geth sent it: status, body and all.
 */
export async function startAnvilFront(chain: GethChain, acts: GethActs): Promise<AnvilFront> {
  const server = createServer(async (request, response) => {
    try {
      const body = await text(request)
      const asked = Asked.safeParse(parsed(body))
      const act = asked.success ? acts.find(asked.data.method) : undefined
      if (!asked.success || act === undefined) return await passOn(chain.url, body, response)
      const answer = await outcomeOf(() => act(asked.data.params))
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id: asked.data.id, ...answer }))
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the front of geth has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

async function passOn(url: string, body: string, response: ServerResponse): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body })
  const type = answer.headers.get('content-type') ?? 'application/json'
  response.writeHead(answer.status, { 'content-type': type }).end(await answer.text())
}

async function outcomeOf(act: () => Promise<unknown>): Promise<object> {
  try {
    return { result: (await act()) ?? null }
  } catch (error) {
    if (error instanceof NodeError) return { error: error.error }
    return { error: { code: -32000, message: error instanceof Error ? error.message : String(error) } }
  }
}
