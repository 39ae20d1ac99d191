import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ServedDocument } from '../../calls/servedDocument.ts'
import type { Operation } from '../../calls/serviceOperation.ts'
import { NotFoundError } from '../../errors/http.ts'
import type { ServicePort } from '../../ports/service.ts'
import { apiMarkdown } from './apiMarkdown.ts'
import { docsFrame, type FramedDocument } from './docsFrame.ts'
import { findPackagePath } from './findPackagePath.ts'
import { docsPage, guidePages, HTML_UTF8_TYPE } from './guidePages.ts'
import { llmsFullText, llmsText } from './llmsText.ts'
import type { PageFiles } from './pages/siteFiles.ts'
import { readGuides } from './readGuides.ts'
import { framedReference, REFERENCE_POLICY, readReferenceAssets } from './referencePage.ts'

const MARKDOWN_TYPE = 'text/markdown; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'

/** All documents beside the site's pages: the reference with its assets, the guides, texts for agents, the packed client. */
export function siteDocuments(
  operations: readonly Operation[],
  service: ServicePort,
  site?: PageFiles,
): ServedDocument[] {
  const guides = readGuides(dirname(findPackagePath('docs/start.md')))
  const assets = readReferenceAssets(service.version)
  // Where the site is built, its icon stands in for that of the reference.
  const frame = (document: FramedDocument) =>
    docsFrame({ service, site }, { ...document, icon: site?.icon ?? document.icon })
  const api = () => apiMarkdown(operations, service)
  return [
    {
      ...docsPage('/docs', HTML_UTF8_TYPE, () => frame(framedReference(guides, assets.links))),
      contentSecurityPolicy: REFERENCE_POLICY,
    },
    ...guidePages(guides, assets.links, frame),
    ...guides.map(({ name, markdown }) => docsPage(`/docs/${name}.md`, MARKDOWN_TYPE, () => markdown)),
    docsPage('/docs/api.md', MARKDOWN_TYPE, api),
    { ...docsPage('/llms.txt', TEXT_TYPE, () => llmsText(guides, service)), name: 'llms' },
    { ...docsPage('/llms-full.txt', TEXT_TYPE, () => llmsFullText(guides, service, api())), name: 'llms' },
    ...assets.documents,
    ...clientFiles(),
  ]
}

/** Made by `packages/client/pack/`: by npm when it installs this repository, and by the bundle. */
const PACKED_CLIENT = 'packages/client/pack/dist'

const CONTENT_TYPES = {
  'client.tgz': 'application/gzip',
  'react.tgz': 'application/gzip',
  'client.js': 'text/javascript; charset=utf-8',
  'engine.js': 'text/javascript; charset=utf-8',
}

/**
 * The client that fits this service: packages for npm, and a module for pages of any origin, with the engine beside it.
 *
 * They are counted and never refused, so that a page that loads its client has all its calls left.
 */
function clientFiles(): ServedDocument[] {
  return Object.entries(CONTENT_TYPES).map(([file, contentType]) => ({
    name: 'client_file',
    path: `/${file}`,
    contentType,
    // The path stays the same while the bytes change with the service, so caches must revalidate.
    cache: 'revalidate',
    metering: 'counted',
    crossOrigin: true,
    render: () => readPacked(file),
  }))
}

/** Throws NotFoundError where the client was not packed. */
function readPacked(file: string): Uint8Array<ArrayBuffer> {
  let path: string
  try {
    path = findPackagePath(`${PACKED_CLIENT}/${file}`)
  } catch {
    throw NotFoundError.clientNotPacked(file)
  }
  return new Uint8Array(readFileSync(path))
}
