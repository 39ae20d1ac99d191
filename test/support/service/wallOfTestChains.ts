/**
 * The clock on the wall of services and chains under test, unix time in milliseconds. It is before the time of any
 * test chain: so no head is old by it, and the chain's own time holds.
 */
export const WALL_OF_TEST_CHAINS = (): number => 0
