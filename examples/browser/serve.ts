/** `npx tsx examples/browser/serve.ts [service]`: builds the pages and serves them on loopback. */
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { buildPages, serviceIn } from './build.ts'

const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'own.html': 'text/html; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'shop.js': 'text/javascript; charset=utf-8',
  'own.js': 'text/javascript; charset=utf-8',
}

/** Serves built pages: these files and nothing else. */
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
  const server = createPageServer(await buildPages({ service: await serviceIn(process.argv.slice(2)) }))
  server.listen(port, '127.0.0.1', () => {
    const address = server.address()
    const listening = typeof address === 'object' && address !== null ? address.port : port
    console.log(`The page is at http://127.0.0.1:${listening}`)
  })
}
