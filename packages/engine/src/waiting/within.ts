import { afterArrived } from './afterArrived.ts'

/**
 * The work's outcome, or the error that `late` makes once its time is up. Bytes that have arrived by then still count.
 * The work goes on, and a later outcome is ignored.
 */
export function within<T>(timeoutMs: number, work: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => afterArrived(() => reject(late())), timeoutMs)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
