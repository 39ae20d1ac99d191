import { once } from 'node:events'
import { createServer } from 'node:http'
import * as z from 'zod'

export interface FailingNode {
  readonly url: string
  close(): void
}

/** A chain's node that answers nothing but HTTP errors, or nothing at all. */
export async function startFailingNode(fails: 'refuses' | 'hangs'): Promise<FailingNode> {
  const server = createServer((_, response) => {
    if (fails === 'refuses') response.writeHead(500).end()
  })
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
