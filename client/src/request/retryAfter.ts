/**
 * The seconds of a Retry-After header, which is a number of them or a date; `undefined` without either.
 * @param nowMs unix milliseconds, which a date is compared with
 */
export function retryAfterSeconds(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000))
}
