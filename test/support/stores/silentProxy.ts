import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface SilentProxy {
  /** The given URL, by way of the proxy. */
  readonly url: string
  /** Passes on nothing more of the connections that are open, and closes none: their host has vanished. New ones work. */
  silence(): void
  /** New connections go to the server of this URL: an address that has moved. */
  turnTo(serverUrl: string): void
  close(): Promise<void>
}

/** A TCP proxy before a server, whose connections can be lost without a reset. */
export async function startSilentProxy(serverUrl: string): Promise<SilentProxy> {
  let target = new URL(serverUrl)
  const open = new Set<Socket>()
  const silenced = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => {})
    }
    client.pipe(upstream).pipe(client)
    // A server that is away refuses, and so does its proxy.
    upstream.on('close', () => {
      if (!silenced.has(client)) client.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const url = new URL(serverUrl)
  url.port = String(address.port)
  return {
    url: url.href,
    silence() {
      for (const socket of open) {
        silenced.add(socket)
        socket.unpipe()
        // What comes is read and dropped, so that the other end sees a network without a reader.
        socket.resume()
      }
    },
    turnTo(moved) {
      target = new URL(moved)
    },
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
