import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ValidationError } from '@remit/engine/errors/input'
import { afterArrived } from '@remit/engine/waiting/afterArrived'
import { HeadersTooLargeError, RequestTimeoutError, UriTooLongError } from '../../errors/http.ts'
import { rawResponse } from './Connections.ts'
import { MAX_TARGET_LENGTH } from './serverLimits.ts'

/** How node tells of bytes that are no request. */
type ClientError = NodeJS.ErrnoException & { rawPacket?: unknown }

/** Long enough for the answer to be read, by a peer that may still be sending. */
const LINGER_MS = 500

/**
 * Answers with error bodies of our own what Node refuses by itself: bytes that are no request, headers that are too large, and
 * requests that arrive too slowly. Node tells of these by the event `clientError`.
 */
export function answerClientErrors(server: Server, refuse: (thrown: unknown) => Response): void {
  /** The response that is being made on a connection. */
  const busy = new Map<Duplex, ServerResponse>()
  /** How many requests have begun on a connection. */
  const begun = new WeakMap<Duplex, number>()
  /** Requests whose body was ended because of malformed bytes. */
  const broken = new WeakSet<IncomingMessage>()
  /** Connections that were opened and have sent nothing yet. */
  const silent = new WeakSet<Socket>()
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (silent.delete(socket)) socket.setTimeout(0)
    busy.set(socket, response)
    begun.set(socket, (begun.get(socket) ?? 0) + 1)
    response.once('close', () => {
      if (busy.get(socket) === response) busy.delete(socket)
    })
  })
  server.on('clientError', (error: ClientError, socket: Duplex) => {
    if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') refuseOn(socket, error)
    else if (socket instanceof Socket && socket.bytesRead === 0) letWait(socket)
    else afterLastBytes(socket, () => refuseOn(socket, error))
  })

  /**
   * Browsers and pools open connections before they have a request, and would take a refusal for the answer to the first one.
   * So such a connection may be idle as long as one between two requests, and is closed without an answer.
   */
  function letWait(socket: Socket): void {
    silent.add(socket)
    socket.setTimeout(server.keepAliveTimeout)
  }

  function refuseOn(socket: Duplex, error: ClientError): void {
    const running = busy.get(socket)
    if (running !== undefined) {
      // An answer is being made here: anything written now would land inside it, so the connection ends after it. Bad bytes in
      // the body of its own request end that body, and its handler answers; those behind a whole request get no answer. Who
      // sends a body too slowly would hold the connection, so it ends at once.
      running.once('close', () => socket.destroy())
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') socket.destroy()
      else breakBody(running.req, error)
    } else if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
    } else {
      void write(socket, refuse(toRemitError(error)))
    }
  }

  /** Node's time may be over although the rest of the request has arrived and waits to be read: then nothing is refused. */
  function afterLastBytes(socket: Duplex, then: () => void): void {
    const before = begun.get(socket)
    afterArrived(() => {
      const isWhole = busy.get(socket)?.req.complete
      if (begun.get(socket) === before && !isWhole) then()
    })
  }

  /** Ends a body of malformed bytes: its reader gets the error now, or once it begins to read, and answers. */
  function breakBody(request: IncomingMessage, error: ClientError): void {
    if (request.complete || broken.has(request)) return
    broken.add(request)
    const tell = () => {
      if (request.listenerCount('error') > 0) request.emit('error', error)
    }
    if (request.listenerCount('error') > 0) tell()
    else request.once('resume', tell)
  }
}

function toRemitError({ code, rawPacket }: ClientError): Error {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const text = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : ''
    // Without a line break the parser was still in the request line.
    return text !== '' && !text.includes('\n')
      ? new UriTooLongError(MAX_TARGET_LENGTH)
      : new HeadersTooLargeError()
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RequestTimeoutError()
  return new ValidationError([{ message: 'This is no well-formed HTTP request.' }])
}

async function write(socket: Duplex, response: Response): Promise<void> {
  socket.end(await rawResponse(response))
  // Node keeps half-closed sockets open for as long as the peer likes.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
