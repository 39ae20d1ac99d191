import { type WebSocketTransport, webSocket } from 'viem'

/** An open line to an anvil. */
export interface DevSocket {
  readonly transport: WebSocketTransport
  /** Whoever opens it closes it: an open one keeps its process alive, and viem finds it again by its URL. */
  close(): Promise<void>
}

/** Speaks to an anvil over a WebSocket. Over HTTP a request costs ten times as much of the processor. */
export function openSocket(url: string): DevSocket {
  const transport = webSocket(url.replace(/^http/, 'ws'), {
    keepAlive: false,
    reconnect: false,
    retryCount: 0,
    timeout: 60_000,
  })
  return {
    transport,
    async close() {
      const client = await transport({}).value?.getRpcClient()
      client?.close()
    },
  }
}
