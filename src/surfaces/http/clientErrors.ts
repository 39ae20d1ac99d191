import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { HeadersTooLargeError, RequestTimeoutError, UriTooLongError } from '../../errors/http.ts'
import { ValidationError } from '../../errors/input.ts'
import { rawResponse } from './rawResponse.ts'

/** How node tells of bytes that are no request. */
type ClientError = NodeJS.ErrnoException & { rawPacket?: unknown }

/** Long enough for the answer to be read, by a peer that may still be sending. */
const LINGER_MS = 500

/** Answers by our own error bodies what node refuses before there is a request. */
export function answerClientErrors(server: Server, refuse: (thrown: unknown) => Response): void {
  const busy = new Map<Duplex, ServerResponse>()
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    busy.set(socket, response)
    response.once('close', () => {
      if (busy.get(socket) === response) busy.delete(socket)
    })
  })
  server.on('clientError', (error: ClientError, socket: Duplex) => {
    const running = busy.get(socket)
    if (running !== undefined) {
      // An answer to an earlier request is on its way: anything written now would land inside it.
      running.once('close', () => socket.destroy())
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') socket.destroy()
    } else if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
    } else {
      void write(socket, refuse(toRemitError(error)))
    }
  })
}

function toRemitError({ code, rawPacket }: ClientError): Error {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const text = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : ''
    // Without a line break the parser was still in the request line.
    return text !== '' && !text.includes('\n') ? new UriTooLongError(8 * 1024) : new HeadersTooLargeError()
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RequestTimeoutError()
  return new ValidationError([{ message: 'This is no well-formed HTTP request.' }])
}

async function write(socket: Duplex, response: Response): Promise<void> {
  socket.end(await rawResponse(response))
  // Node keeps half-closed sockets open for as long as the peer likes.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
