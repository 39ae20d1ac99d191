/** A proof that does not show what it says: it is malformed, altered, or about something else. */
export class ProofRefusedError extends Error {
  override readonly name = 'ProofRefusedError'
}

/** @throws ProofRefusedError unless it holds */
export function mustHold(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new ProofRefusedError(`The proof does not hold: ${otherwise}.`)
}
