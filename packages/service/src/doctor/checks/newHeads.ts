import { BlockHeader } from '@remit/engine/head/blockHeader'
import { WebSocket } from 'ws'
import * as z from 'zod'
import type { Finding } from '../Finding.ts'
import { count } from '../Finding.ts'
import { parseJson } from '../RawNode.ts'

/** Blocks of most chains come within this time. */
const WAIT_MS = 15_000

const Notification = z.object({
  method: z.literal('eth_subscription'),
  params: z.object({ result: BlockHeader }),
})
const Refusal = z.object({ error: z.object({ code: z.number() }) })

/** Whether a WebSocket URL announces new blocks. */
export async function checkNewHeads(url: string, waitMs = WAIT_MS): Promise<Finding> {
  const failed = (fact: string): Finding => ({ check: 'newHeads', state: 'poorer', fact })
  const socket = new WebSocket(url, { handshakeTimeout: waitMs, maxPayload: 1024 * 1024 })
  try {
    return await new Promise<Finding>((resolve) => {
      const timer = setTimeout(() => resolve(failed(`no block within ${waitMs / 1_000} s`)), waitMs)
      const end = (finding: Finding) => {
        clearTimeout(timer)
        resolve(finding)
      }
      socket.on('error', () => end(failed('cannot be connected to')))
      socket.on('close', () => end(failed('closes the connection')))
      socket.on('open', () => {
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
      })
      socket.on('message', (data) => {
        const message = parseJson(String(data))
        const refusal = Refusal.safeParse(message)
        if (refusal.success) end(failed(`refuses eth_subscribe (code ${refusal.data.error.code})`))
        const head = Notification.safeParse(message)
        if (!head.success) return
        end({ check: 'newHeads', state: 'good', fact: `yes, block ${count(head.data.params.result.number)}` })
      })
    })
  } finally {
    socket.terminate()
  }
}
