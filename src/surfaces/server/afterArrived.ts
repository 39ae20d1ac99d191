/**
 * Runs `then` once all bytes that had arrived by now have been read.
 *
 * Timers run before sockets are read: in a process that was busy for a while, one can be over although what it
 * waited for lies in the socket. The first immediate ends this turn of the loop, the second one a whole turn.
 */
export function afterArrived(then: () => void): void {
  setImmediate(() => setImmediate(then))
}
