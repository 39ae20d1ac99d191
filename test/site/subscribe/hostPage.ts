import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll } from 'vitest'
import { freePort } from '../../support/service/freePort.ts'

/**
 * Somebody's page with the button, on an origin of its own, until the file ends. Its policy allows the button's script
 * and nothing else: no style, no connection, no markup made of texts.
 * @param body what stands on it
 */
export async function useHostPage(serviceUrl: string, body: string): Promise<string> {
  const { origin } = new URL(serviceUrl)
  const policy = `default-src 'none'; script-src ${origin}; frame-src *; require-trusted-types-for 'script'; trusted-types 'none'`
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy })
    response.end(
      `<!doctype html><html lang="en"><title>A shop</title><script type="module" src="${serviceUrl}/button.js"></script>${body}`,
    )
  })
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  // Another site than the service's 127.0.0.1, for the browser.
  return `http://localhost:${port}`
}
