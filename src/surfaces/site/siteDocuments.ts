import { dirname } from 'node:path'
import type { ServicePort } from '../../core/ports/service.ts'
import type { ServedDocument } from '../../core/servedDocument.ts'
import type { Operation } from '../../core/serviceOperation.ts'
import { apiMarkdown } from './apiMarkdown.ts'
import { clientFiles } from './clientFiles.ts'
import { findPackagePath } from './findPackagePath.ts'
import { guidePages } from './guidePages.ts'
import { llmsFullText, llmsText } from './llmsText.ts'
import type { PageFiles } from './pages/siteFiles.ts'
import { readGuides } from './readGuides.ts'
import { readReferenceAssets } from './referenceAssets.ts'
import { REFERENCE_POLICY, referencePage } from './referencePage.ts'

const HTML_TYPE = 'text/html; charset=utf-8'
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
  const page = (path: string, contentType: string, render: () => string): ServedDocument => ({
    name: 'docs',
    path,
    contentType,
    cache: 'revalidate',
    metering: 'metered',
    render,
  })
  return [
    {
      ...page('/docs', HTML_TYPE, () => referencePage(guides, assets.links, service.version)),
      contentSecurityPolicy: REFERENCE_POLICY,
    },
    ...guidePages(guides, assets.links, site),
    ...guides.map(({ name, markdown }) => page(`/docs/${name}.md`, MARKDOWN_TYPE, () => markdown)),
    page('/docs/api.md', MARKDOWN_TYPE, api),
    { ...page('/llms.txt', TEXT_TYPE, () => llmsText(guides, service)), name: 'llms' },
    { ...page('/llms-full.txt', TEXT_TYPE, () => llmsFullText(guides, service, api())), name: 'llms' },
    ...assets.documents,
    ...clientFiles(),
  ]
}
