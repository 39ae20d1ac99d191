import type { NodeSocket, SocketEvents } from '@remit/engine/ports/nodes'
import { WebSocket } from 'ws'

/** As long as a node may take for any other answer. */
const HANDSHAKE_MS = 10_000
/** Load balancers close a connection that is silent for 60 s, some for 30 s. */
const PING_MS = 20_000

/** A WebSocket to a node. It is closed where the node says nothing between two pings. */
export function openNodeSocket(url: string, { opened, said, closed, maxBytes }: SocketEvents): NodeSocket {
  const socket = new WebSocket(url, { handshakeTimeout: HANDSHAKE_MS, maxPayload: maxBytes })
  let isAlive = true
  const ping = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    if (socket.readyState === WebSocket.OPEN) socket.ping()
  }, PING_MS)
  ping.unref()
  socket.on('pong', () => {
    isAlive = true
  })
  socket.on('open', opened)
  socket.on('message', (data) => {
    isAlive = true
    said(String(data))
  })
  // Its text may quote the URL. The close that follows is what counts.
  socket.on('error', () => {})
  socket.on('close', () => {
    clearInterval(ping)
    closed()
  })
  return { send: (text) => socket.send(text), close: () => socket.terminate() }
}
