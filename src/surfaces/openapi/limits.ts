import { BUCKETS, type Bucket, COSTS } from '../../core/lanes.ts'
import type { Operation } from '../../core/serviceOperation.ts'
import type { JsonObject } from './json.ts'

/** The limits that a call takes from, over REST and as a tool. Programs can plan their calls by it. */
export function limitsExtensions(operation: Operation): JsonObject {
  const { tool, name, buckets, toolBuckets } = operation
  return {
    'x-limits': {
      rest: operation.audience === 'operators' ? [] : limitsOf(operation, buckets),
      ...(tool ? { mcp: limitsOf(operation, toolBuckets) } : {}),
    },
    ...(tool ? { 'x-mcp-tool': name } : {}),
  }
}

/** The same as a sentence, for readers. */
export function limitsSentence(operation: Operation): string {
  const { audience, metering, tool, name, buckets, toolBuckets } = operation
  if (audience === 'operators') return 'The admin secret is not metered; a session has the limits of a key.'
  if (metering === 'counted') return 'Counted in `dailyTotalRequests`, and never refused by it.'
  const overRest = `Takes from ${words(limitsOf(operation, buckets))}.`
  if (!tool) return overRest
  const asTool = limitsOf(operation, toolBuckets)
  const isSame = asTool.join() === limitsOf(operation, buckets).join()
  return `${overRest} MCP tool: \`${name}\`, which takes ${isSame ? 'the same' : `from ${words(asTool)}`}.`
}

function limitsOf({ metering }: Operation, buckets: readonly Bucket[]): readonly string[] {
  return [...COSTS[metering], ...buckets.flatMap((bucket) => BUCKETS[bucket])]
}

function words(limits: readonly string[]): string {
  const quoted = limits.map((limit) => `\`${limit}\``)
  return [quoted.slice(0, -1).join(', '), quoted.at(-1)].join(' and ')
}
