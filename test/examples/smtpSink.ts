import { createServer } from 'node:net'
import { afterAll } from 'vitest'

/** A mail as it came over SMTP. */
export interface Mail {
  readonly to: string
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** A mail server on this machine that keeps what it is given. It speaks as much SMTP as a client needs to hand a mail over. */
export async function useSmtpSink(): Promise<{ readonly url: string; readonly mails: readonly Mail[] }> {
  const mails: Mail[] = []
  const server = createServer((socket) => {
    let rest = ''
    let to = ''
    let isData = false
    const say = (line: string) => socket.write(`${line}\r\n`)
    const hear = (line: string) => {
      if (/^RCPT TO:/i.test(line)) to = /<(.*)>/.exec(line)?.[1] ?? ''
      if (/^QUIT/i.test(line)) return socket.end('221 Goodbye\r\n')
      isData = /^DATA/i.test(line)
      return say(isData ? '354 Go on' : '250 Well')
    }
    socket.setEncoding('utf8')
    socket.on('error', () => {})
    socket.on('data', (piece: string) => {
      rest += piece
      for (;;) {
        const end = isData ? '\r\n.\r\n' : '\r\n'
        const at = rest.indexOf(end)
        if (at < 0) return
        const heard = rest.slice(0, at)
        rest = rest.slice(at + end.length)
        if (!isData) {
          hear(heard)
          continue
        }
        isData = false
        mails.push(mailOf(to, heard))
        say('250 Kept')
      }
    })
    say('220 A sink')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the sink has no port')
  return { url: `smtp://127.0.0.1:${address.port}`, mails }
}

function mailOf(to: string, source: string): Mail {
  const [head = '', ...body] = source.split('\r\n\r\n')
  const lines = head.replace(/\r\n\s+/g, ' ').split('\r\n')
  const headers = lines.map((line) => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    line.slice(line.indexOf(':') + 1).trim(),
  ])
  return { to, headers: Object.fromEntries(headers), text: body.join('\n\n').replaceAll('\r\n', '\n') }
}
