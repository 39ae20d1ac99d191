import { once } from 'node:events'
import { createServer } from 'node:net'
import { run, runBundled } from '@remit/testing/support/programs/program'
import { useBundle } from '@remit/testing/support/programs/useBundle'
import { expect, it } from 'vitest'

// The first process of a container gets no signal that it does not listen to: nothing else would end it then.
it.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('%s ends a program by itself while it is still starting', async (signal, exitCode) => {
  const silentPostgres = createServer().listen(0, '127.0.0.1')
  await once(silentPostgres, 'listening')
  const address = silentPostgres.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  const program = runBundled(await useBundle('packages/service/src/main.ts'), [], {
    RPC_URL_8453: 'http://127.0.0.1:9',
    DATABASE_URL: `postgres://127.0.0.1:${address.port}/remit`,
  })
  const [socket] = await once(silentPostgres, 'connection')
  program.process.kill(signal)
  expect(await program.ends()).toBe(exitCode)
  socket.destroy()
  silentPostgres.close()
})

// Node hands a signal over in the next turn of its loop: the start ends between the two.
it.each(['SIGTERM', 'SIGINT'])(
  '%s at the very end of the start closes the program in order',
  async (signal) => {
    const program = run('test/support/programs/signalledAtStart.ts', [signal])
    expect(await program.ends(), program.output()).toBe(0)
    expect(program.output()).toBe('ready\nclosed\n')
  },
)
