import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ServedDocument } from '../../calls/servedDocument.ts'
import type { Operation } from '../../calls/serviceOperation.ts'
import { NotFoundError } from '../../errors/http.ts'
import type { ServicePort } from '../../ports/service.ts'
import { apiMarkdown } from './apiMarkdown.ts'
import { findPackagePath } from './findPackagePath.ts'
import { docsPage, guidePages, HTML_TYPE } from './guidePages.ts'
import { llmsFullText, llmsText } from './llmsText.ts'
import type { PageFiles } from './pages/siteFiles.ts'
import { readGuides } from './readGuides.ts'
import { REFERENCE_POLICY, readReferenceAssets, referencePage } from './referencePage.ts'

const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'

/** All documents: the reference with its assets, the guides, and the texts for agents. */
export function siteDocuments(
  operations: readonly Operation[],
  service: ServicePort,
  site?: PageFiles,
): ServedDocument[] {
  const guides = readGuides(dirname(findPackagePath('docs/start.md')))
  const assets = readReferenceAssets(service.version)
  const api = () => apiMarkdown(operations, service)
  return [
    {
      ...docsPage('/docs', HTML_TYPE, () => referencePage(guides, assets.links, service.version)),
      contentSecurityPolicy: REFERENCE_POLICY,
    },
    ...guidePages(guides, assets.links, site),
    ...guides.map(({ name, markdown }) => docsPage(`/docs/${name}.md`, MARKDOWN_TYPE, () => markdown)),
    docsPage('/docs/api.md', MARKDOWN_TYPE, api),
    { ...docsPage('/llms.txt', TEXT_TYPE, () => llmsText(guides, service)), name: 'llms' },
    { ...docsPage('/llms-full.txt', TEXT_TYPE, () => llmsFullText(guides, service, api())), name: 'llms' },
    ...assets.documents,
    ...clientFiles(),
  ]
}

/** Made by `packages/client/pack/`: by npm when it installs this repository, and by the bundle. */
const FOLDER = 'packages/client/pack/dist'

const CONTENT_TYPES = {
  'client.tgz': 'application/gzip',
  'client.js': 'text/javascript; charset=utf-8',
} as const

type ClientFile = keyof typeof CONTENT_TYPES

/**
 * The client that fits this service: a package for npm, and one module for pages of any origin.
 *
 * They are counted and never refused, so that a page that loads its client has all its calls left.
 */
function clientFiles(): ServedDocument[] {
  return (['client.tgz', 'client.js'] as const).map((file) => ({
    name: 'client_file',
    path: `/${file}`,
    contentType: CONTENT_TYPES[file],
    // The path stays the same while the bytes change with the service, so caches must revalidate.
    cache: 'revalidate',
    metering: 'counted',
    crossOrigin: true,
    render: () => read(file),
  }))
}

/** Throws NotFoundError where the client was not packed. */
function read(file: ClientFile): Uint8Array<ArrayBuffer> {
  let path: string
  try {
    path = findPackagePath(`${FOLDER}/${file}`)
  } catch {
    throw NotFoundError.clientNotPacked(file)
  }
  return new Uint8Array(readFileSync(path))
}
