import { BaseError, HttpRequestError, TimeoutError } from 'viem'

/** `null` where a contract answers nothing that can be read. Throws where the way to the node failed. */
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
