/** Why a pass is refused. */
export type PassRefusal =
  | 'malformed'
  | 'unknown-key'
  | 'bad-signature'
  | 'wrong-issuer'
  | 'wrong-audience'
  | 'not-yet'
  | 'expired'
  | 'wrong-subscription'

const SENTENCES: Readonly<Record<PassRefusal, string>> = {
  malformed: 'This is no pass.',
  'unknown-key': 'No known key has signed this pass: read the keys of the service again.',
  'bad-signature': 'The service has not signed this pass.',
  'wrong-issuer': 'Another service has issued this pass.',
  'wrong-audience': 'This pass is for somebody else.',
  'not-yet': 'This pass was issued in the future: compare the clocks.',
  expired: 'This pass has expired.',
  'wrong-subscription': 'This pass is for another subscription.',
}

/** The pass does not let its holder in. */
export class PassRefusedError extends Error {
  override readonly name = 'PassRefusedError'
  readonly why: PassRefusal

  constructor(why: PassRefusal) {
    super(SENTENCES[why])
    this.why = why
  }
}
