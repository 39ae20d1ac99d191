/**
 * Throws a RangeError that names the option if its value is not finite: every comparison with NaN is false, so a check
 * would let everything pass. `undefined` is accepted, because it has a default.
 */
export function requireFinite(numbers: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(numbers)) {
    if (value !== undefined && !Number.isFinite(value))
      throw new RangeError(`${name} must be a finite number`)
  }
}
