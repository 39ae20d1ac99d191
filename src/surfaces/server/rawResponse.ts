import { STATUS_CODES } from 'node:http'

/** A response as HTTP/1.1 bytes, for a socket without a request. The connection closes after it. */
export async function rawResponse(response: Response): Promise<string> {
  const body = await response.text()
  const headers = [
    ...response.headers,
    ['date', new Date().toUTCString()],
    ['content-length', String(Buffer.byteLength(body))],
    ['connection', 'close'],
  ]
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  const head = `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}`
  return `${head}\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}
