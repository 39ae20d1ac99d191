import { RedisCounters } from '@remit/service/testing/access/limits/RedisCounters'
import { Redis } from 'ioredis'
import { takeConcurrently } from './limitsCrowd.ts'

// One of several processes that take from the same counters at the same time:
// `takeMany.ts <redis URL> <processes> <connections> <takes>`. It says every decision that it was given.

const [url = '', processes = '', connections = '', takes = ''] = process.argv.slice(2)
const takers = await Promise.all(
  Array.from({ length: Number(connections) }, async () => {
    const counters = new RedisCounters(url)
    await counters.connect()
    return counters
  }),
)
const gate = new Redis(url)
await gate.incr('ready')
while (Number(await gate.get('ready')) < Number(processes)) {
  await new Promise((resolve) => setTimeout(resolve, 5))
}
gate.disconnect()
const decisions = await takeConcurrently(takers, Number(takes))
for (const counters of takers) counters.close()
process.stdout.write(`decided ${JSON.stringify(decisions)}\n`)
