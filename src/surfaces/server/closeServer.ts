import type { Server } from 'node:http'
import { Server as Listener } from 'node:net'
import { afterArrived } from '../../core/upstream/afterArrived.ts'
import type { Connections } from './Connections.ts'

/**
 * Accepts no new connections, answers requests on open ones, and at the deadline closes those that are left.
 *
 * Resolves with how many requests were cut off.
 */
export function closeServer(server: Server, connections: Connections, deadlineMs: number): Promise<number> {
  return new Promise((resolve) => {
    // First accept the connections that the operating system has taken already.
    afterArrived(() => {
      let cutOff = 0
      const cut = setTimeout(() => {
        cutOff = connections.cut()
      }, deadlineMs)
      // http.Server.close() would also close idle connections at once, and stop the check for slow requests.
      Listener.prototype.close.call(server, () => {
        clearTimeout(cut)
        server.close()
        resolve(cutOff)
      })
      // Only now, after the listener is closed: a client that reconnects must be refused, and not be left waiting.
      connections.drain()
    })
  })
}
