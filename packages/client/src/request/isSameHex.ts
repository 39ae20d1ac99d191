/** Whether both are the same hash or address, in whichever case their digits are. */
export function isSameHex(given: unknown, expected: string): boolean {
  return typeof given === 'string' && given.toLowerCase() === expected.toLowerCase()
}
