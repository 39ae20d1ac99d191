/** `npx tsx examples/browser/serve.ts [service…]`: builds the page and serves it on loopback. */
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { buildPage, servicesIn } from './build.ts'

const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'main.js': 'text/javascript; charset=utf-8',
  'main.js.map': 'application/json',
}

/** Serves a built page: these four files and nothing else. */
export function createPageServer(outdir: string): Server {
  return createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://localhost')
    const name = pathname === '/' ? 'index.html' : pathname.slice(1)
    const type = TYPES[name]
    if (type === undefined) {
      response.writeHead(404).end('There is no such file.\n')
      return
    }
    const headers = { 'Content-Type': type, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }
    response.writeHead(200, headers).end(readFileSync(join(outdir, name)))
  })
}

if (import.meta.filename === process.argv[1]) {
  const port = Number(process.env.PAGE_PORT || 4000)
  const server = createPageServer(await buildPage({ services: await servicesIn(process.argv.slice(2)) }))
  server.listen(port, '127.0.0.1', () => {
    const address = server.address()
    const listening = typeof address === 'object' && address !== null ? address.port : port
    console.log(`The page is at http://127.0.0.1:${listening}`)
  })
}
