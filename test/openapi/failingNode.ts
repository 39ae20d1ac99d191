import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import * as z from 'zod'

export interface FailingNode {
  readonly url: string
  close(): void
}

const Call = z.looseObject({ id: z.unknown(), method: z.string() })

/** A node in front of another one, which does less. */
export interface LesserNode extends FailingNode {
  /** Methods of which it says that they do not exist. */
  lacks: readonly string[]
  /** Whether its headers have another text of their maker's than their hash says. */
  hasStrangeHeaders: boolean
}

export async function startLesserNode(behindUrl: string, lacks: readonly string[] = []): Promise<LesserNode> {
  const server = createServer(async (request, response) => {
    try {
      const asked = z.union([z.array(Call), Call]).parse(JSON.parse(await text(request)))
      const answer = async (call: z.output<typeof Call>) => {
        const error = { code: -32601, message: `the method ${call.method} does not exist` }
        if (node.lacks.includes(call.method)) return { jsonrpc: '2.0', id: call.id, error }
        const behind = await fetch(behindUrl, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(call),
        })
        return behind.json()
      }
      const body = Array.isArray(asked) ? await Promise.all(asked.map(answer)) : await answer(asked)
      const told = JSON.stringify(body)
      const strange = told.replaceAll(/"extraData":"0x[0-9a-f]*"/g, '"extraData":"0x00"')
      response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(node.hasStrangeHeaders ? strange : told)
    } catch {
      response.destroy()
    }
  })
  const node = { ...(await listening(server)), lacks, hasStrangeHeaders: false }
  return node
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
