import type { Server } from 'node:http'
import { Server as Listener } from 'node:net'
import { afterArrived } from './afterArrived.ts'
import type { Connections } from './Connections.ts'

/**
 * Takes no new connection, answers what still arrives on open ones, and cuts off at the deadline what is left.
 *
 * Resolves with how many requests were cut off.
 */
export function closeServer(server: Server, connections: Connections, deadlineMs: number): Promise<number> {
  return new Promise((resolve) => {
    // Connections that the system has taken already are accepted first.
    afterArrived(() => {
      let cutOff = 0
      const cut = setTimeout(() => {
        cutOff = connections.cut()
      }, deadlineMs)
      // An http.Server's own close() also closes idle connections at once, and stops the check of slow requests.
      Listener.prototype.close.call(server, () => {
        clearTimeout(cut)
        server.close()
        resolve(cutOff)
      })
      // After the listener: whoever is told to leave and comes again must be refused, not left half accepted.
      connections.drain()
    })
  })
}
