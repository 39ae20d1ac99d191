import { Redis } from 'ioredis'
import { RedisCounters } from '../../../src/access/limits/RedisCounters.ts'
import { RedisLink } from '../../../src/access/limits/RedisLink.ts'
import { takeConcurrently } from './limitsCrowd.ts'

// One of several processes that take from the same counters at the same time:
// `takeMany.ts <redis URL> <processes> <connections> <takes>`. It says every decision that it was given.

const [url = '', processes = '', connections = '', takes = ''] = process.argv.slice(2)
const links = await Promise.all(
  Array.from({ length: Number(connections) }, async () => {
    const link = new RedisLink(url)
    await link.connect()
    return link
  }),
)
const gate = new Redis(url)
await gate.incr('ready')
while (Number(await gate.get('ready')) < Number(processes)) {
  await new Promise((resolve) => setTimeout(resolve, 5))
}
gate.disconnect()
const takers = links.map((link) => new RedisCounters(link))
const decisions = await takeConcurrently(takers, Number(takes))
for (const link of links) link.close()
process.stdout.write(`decided ${JSON.stringify(decisions)}\n`)
