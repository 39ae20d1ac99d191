import { BaseError, HttpRequestError, TimeoutError } from 'viem'

/** `null` if the contract's answer cannot be read. Throws if the node cannot be reached. */
export async function readOrNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof BaseError) || isTransport(error)) throw error
    return null
  }
}

function isTransport(error: BaseError): boolean {
  return error.walk((cause) => cause instanceof HttpRequestError || cause instanceof TimeoutError) !== null
}
