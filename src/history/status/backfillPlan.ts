/** What the first reading of a chain will take. */
export interface BackfillPlan {
  readonly blocks: number
  readonly blocksPerRequest: number
  readonly requests: number
  /** `null` before it is known how long a request takes. */
  readonly seconds: number | null
}

/** Plans the reading of so many blocks, one range after the other. */
export function planBackfill(options: {
  blocks: number
  blocksPerRequest: number
  secondsPerRequest: number | null
}): BackfillPlan {
  const { blocks, blocksPerRequest, secondsPerRequest } = options
  const requests = Math.ceil(blocks / blocksPerRequest)
  const seconds = secondsPerRequest === null ? null : Math.ceil(requests * secondsPerRequest)
  return { blocks, blocksPerRequest, requests, seconds }
}

/** `22,100,000 blocks in 2,210 requests of 10,000, about 8 min` */
export function planText({ blocks, blocksPerRequest, requests, seconds }: BackfillPlan): string {
  const count = (value: number) => value.toLocaleString('en-US')
  const long = seconds === null ? '' : `, about ${duration(seconds)}`
  if (requests === 1) return `${count(blocks)} blocks in one request${long}`
  return `${count(blocks)} blocks in ${count(requests)} requests of ${count(blocksPerRequest)}${long}`
}

/** `45 s`, `8 min 3 s`, `3 h 12 min`, `4 days` */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  return `${Math.round(minutes / 1_440)} days`
}
