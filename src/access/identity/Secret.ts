import { createHash, timingSafeEqual } from 'node:crypto'

/** A secret that callers may know, compared in the same time whatever they say. */
export class Secret {
  readonly #digest: Buffer

  constructor(secret: string) {
    this.#digest = digestOf(Buffer.from(secret, 'utf8'))
  }

  is(said: Buffer): boolean {
    // Digests have one length, and tell nothing of how much was right.
    return timingSafeEqual(digestOf(said), this.#digest)
  }
}

/** A header's bytes: fetch hands them over as Latin-1, whatever they mean. */
export function bytesOf(header: string): Buffer {
  return Buffer.from(header, 'latin1')
}

function digestOf(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}
