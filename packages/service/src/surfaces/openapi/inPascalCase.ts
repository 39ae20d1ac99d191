/** `NOT_READY`, `payment.at_risk` and `nextDue` as `NotReady`, `PaymentAtRisk` and `NextDue`. */
export function inPascalCase(name: string): string {
  const words = name.split(/[_.]/)
  return words.map((word) => word.slice(0, 1).toUpperCase() + restOf(word)).join('')
}

/** A word in capitals is written small; capitals within a word begin others. */
function restOf(word: string): string {
  const rest = word.slice(1)
  return word === word.toUpperCase() ? rest.toLowerCase() : rest
}
