/** What a trial of one transfer did to its two accounts, in the token's smallest unit. */
export interface CreditTrial {
  readonly asked: bigint
  /** What came to the one who receives, by the Transfer logs; and below, what left the one who pays. */
  readonly loggedIn: bigint
  readonly loggedOut: bigint
  /** The same two amounts by the balances before and after the transfer. */
  readonly arrived: bigint
  readonly left: bigint
}

/** Tokens that keep shares, as rebasing ones do, round a balance by a unit or two. */
const MOST_ROUNDED = 2n
/** The least amount that may be off by rounding: of a smaller one, two units would be more than that. */
const LEAST_ROUNDED_OF = 1_000_000n

/** Whether a token's logs state what it moves. */
export function statesWhatMoves({ asked, loggedIn, loggedOut, arrived, left }: CreditTrial): boolean {
  const tolerated = asked >= LEAST_ROUNDED_OF ? MOST_ROUNDED : 0n
  return isWithin(loggedIn - arrived, tolerated) && isWithin(loggedOut - left, tolerated)
}

function isWithin(difference: bigint, tolerated: bigint): boolean {
  return difference <= tolerated && difference >= -tolerated
}
