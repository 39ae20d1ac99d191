/**
 * `node burst <port> <count> <file>`: opens so many connections at once, asks on each, makes the file once all
 * have been asked on, and prints what came back, by status.
 */
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'

const [port = '', count = '', file = ''] = process.argv.slice(2)
let asked = 0

function ask(): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write('GET /things/latest HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', () => {
        asked += 1
        if (asked === Number(count)) writeFileSync(file, '')
      })
    })
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
    })
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    socket.on('close', () => resolve(text.match(/^HTTP\/1\.1 (\d+)/)?.[1] ?? 'nothing'))
  })
}

const counts: Record<string, number> = {}
for (const status of await Promise.all(Array.from({ length: Number(count) }, ask))) {
  counts[status] = (counts[status] ?? 0) + 1
}
process.stdout.write(`seen ${JSON.stringify(counts)}\n`)
