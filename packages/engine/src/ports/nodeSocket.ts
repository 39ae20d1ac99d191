/** What becomes of a socket. `closed` is told once, also where it never opened. */
export interface SocketEvents {
  opened(): void
  said(text: string): void
  closed(): void
  /** A longer message closes it. */
  readonly maxBytes: number
}

/** A WebSocket to a node. */
export interface NodeSocket {
  send(text: string): void
  /** Ends it at once. */
  close(): void
}

/** Opens a WebSocket. It must close by itself where the node is gone. */
export type OpenSocket = (url: string, events: SocketEvents) => NodeSocket
