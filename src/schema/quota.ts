/** Where one limit stands, for the RateLimit headers. */
export interface Quota {
  readonly name: string
  readonly limit: number
  readonly windowSeconds: number
  readonly remaining: number
  /** Until the limit has one unit more to give, rounded up; of a day's limit, until the UTC day ends. */
  readonly resetSeconds: number
}
