import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import * as z from 'zod'

export interface FailingNode {
  readonly url: string
  close(): void
}

const Call = z.looseObject({ id: z.unknown(), method: z.string() })

/** A chain's node in front of another one that says of a method that it does not exist. */
export async function startNodeWithout(method: string, behindUrl: string): Promise<FailingNode> {
  const server = createServer(async (request, response) => {
    try {
      const asked = z.union([z.array(Call), Call]).parse(JSON.parse(await text(request)))
      const error = { code: -32601, message: `the method ${method} does not exist` }
      const answer = async (call: z.output<typeof Call>) => {
        if (call.method === method) return { jsonrpc: '2.0', id: call.id, error }
        const behind = await fetch(behindUrl, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(call),
        })
        return behind.json()
      }
      const body = Array.isArray(asked) ? await Promise.all(asked.map(answer)) : await answer(asked)
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    } catch {
      response.destroy()
    }
  })
  return listening(server)
}

/** A chain's node that answers nothing but HTTP errors, or nothing at all. */
export async function startFailingNode(fails: 'refuses' | 'hangs'): Promise<FailingNode> {
  const server = createServer((_, response) => {
    if (fails === 'refuses') response.writeHead(500).end()
  })
  return listening(server)
}

async function listening(server: Server): Promise<FailingNode> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = z.object({ port: z.int() }).parse(server.address())
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
