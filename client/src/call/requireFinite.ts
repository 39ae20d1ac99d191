/**
 * Throws RangeError for a number that is none, by its name: every comparison with NaN is false, so that a check by it would
 * let everything pass. What is left out has a default.
 */
export function requireFinite(numbers: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (value !== undefined && !Number.isFinite(value))
      throw new RangeError(`${name} must be a finite number`)
  }
}
