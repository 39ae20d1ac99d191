import { once } from 'node:events'
import { connect } from 'node:net'
import * as z from 'zod'
import type { Answered } from './exampleService.ts'

/** Sends these bytes, which need not be a whole request, and reads the answer until the connection ends. */
export async function rawExchange(port: number, bytes: string): Promise<Answered> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.write(bytes)
  await once(socket, 'close')
  return parse(Buffer.concat(chunks).toString('utf8'))
}

function parse(text: string): Answered {
  const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s)
  const [first = '', ...lines] = head.split('\r\n')
  return {
    status: Number(first.split(' ')[1]),
    headers: new Headers(lines.map((line): [string, string] => splitAt(line, ': '))),
    body: z.record(z.string(), z.json()).parse(JSON.parse(body)),
  }
}

function splitAt(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return [text.slice(0, at), text.slice(at + separator.length)]
}
