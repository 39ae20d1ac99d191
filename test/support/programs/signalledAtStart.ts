import { runUntilSignalled } from '@remit/service/processes/runUntilSignalled'

/** Sends itself the signal that it is told, as the last thing of its start. */
await runUntilSignalled(async (say) => {
  // Until it is closed, the process has something to do.
  const work = setInterval(() => {}, 1_000)
  process.kill(process.pid, process.argv[2])
  return {
    ready: 'ready',
    async close() {
      clearInterval(work)
      say('closed')
    },
  }
})
