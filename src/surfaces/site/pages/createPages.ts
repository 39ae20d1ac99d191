import type { PageAddress, PageAnswers, PageChain, PageData } from '../../../../site/src/page/pageContents.ts'
import type { Pipeline } from '../../../core/pipeline.ts'
import type { ChainsPort } from '../../../core/ports/chains.ts'
import type { HistoryPort } from '../../../core/ports/history.ts'
import type { ServicePort } from '../../../core/ports/service.ts'
import type { Operation } from '../../../core/serviceOperation.ts'
import type { WireError } from '../../../errors/toWire.ts'
import { Representation } from '../../http/Representation.ts'
import type { Responses } from '../../http/responses.ts'
import type { Pages } from '../../rest/pages.ts'
import { weakEtag } from '../../rest/reply.ts'
import type { SitePage } from './definePage.ts'
import { KeptDocuments } from './KeptDocuments.ts'
import { pageDocument, pagePolicy } from './pageDocument.ts'
import { createAnswerReader } from './readAnswers.ts'
import type { SiteFiles } from './siteFiles.ts'

interface PagesOptions {
  readonly pages: readonly SitePage[]
  readonly files: SiteFiles
  readonly service: ServicePort
  readonly chains: Pick<ChainsPort, 'withView'>
  readonly indexes: Pick<HistoryPort, 'health'>
  /** Offers wallets on other devices; `undefined`: only those of the browser. */
  readonly walletConnectProjectId: string | undefined
  /** The chain whose node wallets may be told of, where there is one. */
  readonly devChain: { readonly chainId: number; readonly rpcUrl: string } | undefined
}

/** What needs the app that serves the pages. */
export interface PagesSurroundings {
  readonly operations: readonly Operation[]
  readonly pipeline: Pipeline
  readonly responses: Responses
}

/** The page that says why another one could not be had. */
const REFUSAL = 'refusal'

interface Made {
  readonly content: Representation
  readonly etag: string
  readonly status: number
  readonly bytes: number
  readonly isFailure: boolean
}

/** The pages with their data. They read once per block for all visitors (see KeptDocuments). */
export function createPages({
  pages,
  files,
  service,
  chains,
  indexes,
  walletConnectProjectId,
  devChain,
}: PagesOptions) {
  const policy = pagePolicy({ hasWalletConnect: walletConnectProjectId !== undefined })
  const headersOf = (page: SitePage | undefined) => ({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'Cache-Control': 'private, no-cache',
    ...(page?.keepsOpener ? { 'Cross-Origin-Opener-Policy': 'unsafe-none' } : {}),
  })
  return ({ operations, pipeline, responses }: PagesSurroundings): Pages => {
    const kept = new KeptDocuments<Made>()
    const readAnswers = createAnswerReader({ operations, pipeline, responses })
    const pagesByPath = new Map(pages.map((page) => [page.path, { page, files: files.of(page.name) }]))
    const refusalFiles = files.of(REFUSAL)

    async function chainAt(chainId: number): Promise<PageChain> {
      const { name = String(chainId), default: isDefault = false } =
        service.chains.rows.find((row) => row.chainId === chainId) ?? {}
      const devRpcUrl = devChain?.chainId === chainId ? devChain.rpcUrl : null
      const known = { chainId, name, isDefault, devRpcUrl }
      try {
        return await chains.withView(chainId, {}, async ({ asOf, today, contractAddress }) => {
          const { blockNumber, blockHash, timestamp } = asOf
          return { ...known, contract: contractAddress, block: { blockNumber, blockHash, timestamp }, today }
        })
      } catch {
        // The page's own reads say what is wrong.
        return { ...known, contract: null, block: null, today: null }
      }
    }

    function common(): Pick<PageData, 'version' | 'publicUrl' | 'walletConnect'> {
      const { version, publicUrl } = service
      return { version, publicUrl, walletConnect: walletConnectProjectId ?? null }
    }

    async function make(found: Found, address: PageAddress, chain: PageChain, id: string): Promise<Made> {
      const { page } = found
      const answers = await readAnswers(page, address, chain, id)
      const { title, description } = page
      const open = service.chains.rows.filter(({ rest }) => rest)
      const data: PageData = {
        page: page.name,
        ...common(),
        ...address,
        chains: open.map(({ chainId, name }) => ({ chainId, name })),
        chain,
        answers,
      }
      const content = new Representation(
        pageDocument({ title: `${title} · Remit`, description, files: found.files, data }),
      )
      return {
        content,
        etag: weakEtag(content.bytes),
        status: statusOf(page, answers),
        bytes: content.bytes.length,
        isFailure: chain.block === null || Object.values(answers).some(isIncomplete),
      }
    }

    return {
      paths: [...pagesByPath.keys()],
      async answer({ path, parameters, query, chainId, requestId, asked, shared }) {
        const found = pagesByPath.get(path)
        if (found === undefined) throw new RangeError(`no page is declared at ${path}`)
        const taken = found.page.query.flatMap((name) => {
          const value = query.get(name)
          return value === null || value === '' ? [] : [[name, value] as const]
        })
        const address = { path: parameters, query: Object.fromEntries(taken) }
        const chain = await chainAt(chainId)
        // A day may begin while no block comes.
        const stamp = `${chain.block?.blockHash} ${chain.today} ${indexes.health(chainId)?.blockNumber}`
        const key = JSON.stringify([path, chainId, parameters, address.query])
        const makeNow = () => make(found, address, chain, requestId)
        const { takesLong } = found.page
        const made = await (takesLong ? kept.getSoon(key, stamp, makeNow) : kept.get(key, stamp, makeNow))
        const headers = { ...shared, ...headersOf(found.page), ETag: made.etag }
        const { status, headers: sent, body } = await made.content.respond(asked, headers)
        return new Response(body, { status: status === 200 ? made.status : status, headers: sent })
      },
      refusal({ status, headers, body }: WireError, shared) {
        const data: PageData = {
          page: REFUSAL,
          ...common(),
          path: {},
          query: {},
          chains: [],
          chain: null,
          answers: {},
          refusal: { ...body, status },
        }
        const description = 'Why this page could not be shown.'
        const html = pageDocument({ title: 'Remit', description, files: refusalFiles, data })
        return new Response(html, {
          status,
          headers: { ...shared, ...headersOf(undefined), 'Cache-Control': 'no-store', ...headers },
        })
      },
    }
  }
}

interface Found {
  readonly page: SitePage
  readonly files: ReturnType<SiteFiles['of']>
}

/** 404 for what does not exist and 400 for what cannot; whatever else fails is shown on a page that is there. */
function statusOf({ subject }: SitePage, answers: PageAnswers): number {
  const status = subject === undefined ? 200 : (answers[subject]?.status ?? 200)
  return status === 400 || status === 404 ? status : 200
}

function isIncomplete({ status, body }: PageAnswers[string]): boolean {
  return status >= 500 || (status === 200 && 'error' in body)
}
