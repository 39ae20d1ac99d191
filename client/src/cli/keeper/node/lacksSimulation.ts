import { BaseError, RpcRequestError } from 'viem'

/** "Method not found" and "method not supported", by JSON-RPC and by EIP-1474. */
const LACKING_CODES: ReadonlySet<number> = new Set([-32_601, -32_004])
/** Gateways that have other codes name the method. */
const LACKING =
  /(method\W+)?eth_simulateV1\W+(does not exist|is not (found|available|supported|implemented|enabled|allowed))|(unsupported|unknown) method\W+eth_simulateV1/i

/**
 * Whether a node has said that it does not have eth_simulateV1. Whatever else it says, and whatever fails on the way
 * to it, is a fault: then the simulation is asked for again, and nobody else is believed instead.
 */
export function lacksSimulation(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  const answer = error.walk((cause) => cause instanceof RpcRequestError)
  if (!(answer instanceof RpcRequestError)) return false
  return LACKING_CODES.has(answer.code) || LACKING.test(answer.details)
}
