/**
 * Runs `then` after all bytes that have arrived by now are read.
 *
 * Timers fire before sockets are read. So in a process that was busy, a timeout can fire although the bytes that it
 * waited for have arrived. The first immediate runs after the sockets of this turn of the event loop were read; what they brought may
 * be handed on by further callbacks of the next turn, which the second one lets run.
 */
export function afterArrived(then: () => void): void {
  nextTurn(() => nextTurn(then))
}

/** Runs `then` when this turn of the event loop is over. Only Node has immediates, and only its types know of them. */
export function nextTurn(then: () => void): void {
  const immediate: unknown = Reflect.get(globalThis, 'setImmediate')
  if (typeof immediate === 'function') immediate(then)
  else setTimeout(then, 0)
}
