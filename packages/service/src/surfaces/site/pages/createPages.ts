import { toRemitError, toWire, type WireError } from '@remit/engine/errors/toWire'
import type { ChainsPort } from '@remit/engine/ports/chains'
import type { HistoryPort } from '@remit/engine/ports/history'
import type {
  PageAddress,
  PageAnswer,
  PageAnswers,
  PageChain,
  PageData,
  TestWallet,
} from '@remit/site/page/pageContents'
import { getAddress, type Hex } from 'viem'
import type { Pipeline } from '../../../calls/pipeline.ts'
import type { Operation } from '../../../calls/serviceOperation.ts'
import type { ServicePort } from '../../../ports/service.ts'
import { Representation } from '../../http/Representation.ts'
import type { Responses } from '../../http/responses.ts'
import type { Pages } from '../../rest/pages.ts'
import { inputKinds, toJsonValue } from '../../rest/readCall.ts'
import { weakEtag } from '../../rest/reply.ts'
import type { PageRead, PageReads, PageTime, SitePage } from './definePage.ts'
import { KeptDocuments } from './KeptDocuments.ts'
import { pageDocument, pagePolicy } from './pageDocument.ts'
import type { SiteFiles } from './siteFiles.ts'

interface PagesOptions {
  readonly pages: readonly SitePage[]
  readonly files: SiteFiles
  readonly service: ServicePort
  readonly chains: Pick<ChainsPort, 'withView'>
  readonly indexes: Pick<HistoryPort, 'health'>
  /** Offers wallets on other devices; `undefined`: only those of the browser. */
  readonly walletConnectProjectId: string | undefined
  /** Whether members can leave what they have signed for their providers. */
  readonly keepsRescues: boolean
  /** The chain whose node wallets may be told of, where there is one. */
  readonly devChain: { readonly chainId: number; readonly rpcUrl: string } | undefined
  /** The accounts of its node that pages of that chain offer as wallets. */
  readonly testWallets: readonly TestWallet[]
}

/** What pages take from the app that serves them. `createApp` hands it over, once it has made it. */
export interface PagesSurroundings {
  readonly operations: readonly Operation[]
  readonly pipeline: Pipeline
  readonly responses: Responses
}

/** The component that says why a page cannot be shown. */
const REFUSAL = 'refusal'

const TITLES: Readonly<Record<number, string>> = {
  401: 'Who is asking?',
  404: 'Page not found',
  429: 'Please wait',
}

/** A page's document, ready to be sent to every visitor. */
interface Made {
  readonly content: Representation
  readonly etag: string
  readonly status: number
  readonly bytes: number
  /** Whether the chain or a read failed. Then it is kept for a moment only. */
  readonly isFailure: boolean
}

/**
 * Makes what answers the visits of pages. A page is a document of HTML with the data that its component shows: this runs the
 * reads that the page declares (`definePage.ts`), once per block for all visitors (`KeptDocuments.ts`).
 */
export function createPages({
  pages,
  files,
  service,
  chains,
  indexes,
  walletConnectProjectId,
  keepsRescues,
  devChain,
  testWallets,
}: PagesOptions) {
  const policy = pagePolicy({
    hasWalletConnect: walletConnectProjectId !== undefined,
    testNode: testWallets.length > 0 ? devChain?.rpcUrl : undefined,
  })
  const headersOf = (page: SitePage | undefined) => ({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'Cache-Control': 'private, no-cache',
    ...(page?.keepsOpener ? { 'Cross-Origin-Opener-Policy': 'unsafe-none' } : {}),
  })
  return ({ operations, pipeline, responses }: PagesSurroundings): Pages => {
    const kept = new KeptDocuments<Made>()
    const readAnswers = createAnswerReader({ operations, pipeline, responses })
    // A page about health asks for no password. Where all else does, its files would be refused, so it is not served.
    const shown = pages.filter(({ isHealth }) => !(isHealth && service.asksBasicAuth))
    const pagesByPath = new Map(shown.map((page) => [page.path, { page, files: files.of(page.name) }]))
    const refusalFiles = files.of(REFUSAL)

    /** A chain as far as it is known without asking it. */
    function unreadChain(chainId: number): PageChain {
      const { name = String(chainId), default: isDefault = false } =
        service.chains.rows.find((row) => row.chainId === chainId) ?? {}
      const devRpcUrl = devChain?.chainId === chainId ? devChain.rpcUrl : null
      const unread = { chainId, name, isDefault, devRpcUrl, contract: null, block: null, today: null }
      return devRpcUrl === null || testWallets.length === 0 ? unread : { ...unread, testWallets }
    }

    /** A chain at its newest block; as `unreadChain` where it does not answer. */
    async function chainAt(chainId: number): Promise<PageChain> {
      const known = unreadChain(chainId)
      try {
        return await chains.withView(chainId, {}, async ({ asOf, today, contractAddress }) => {
          const { blockNumber, blockHash, timestamp } = asOf
          return { ...known, contract: contractAddress, block: { blockNumber, blockHash, timestamp }, today }
        })
      } catch {
        // The page's own reads say what is wrong.
        return known
      }
    }

    /** The data that every page has. */
    function common(): Pick<
      PageData,
      'version' | 'publicUrl' | 'operator' | 'walletConnect' | 'keepsRescues' | 'chains'
    > {
      const { version, publicUrl, operator } = service
      const open = service.chains.rows.filter(({ rest }) => rest)
      return {
        version,
        publicUrl,
        operator,
        walletConnect: walletConnectProjectId ?? null,
        keepsRescues,
        chains: open.map(({ chainId, name }) => ({ chainId, name })),
      }
    }

    /** Runs the page's reads, and writes its document with their answers. */
    async function make(found: Found, address: PageAddress, chain: PageChain, id: string): Promise<Made> {
      const { page } = found
      const answers = await readAnswers(page, address, chain, id)
      const { title, description } = page
      const data: PageData = {
        page: page.name,
        ...common(),
        ...address,
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
      documents: shown.map(({ path, isHealth }) => ({
        name: 'page',
        path,
        metering: isHealth ? 'counted' : 'metered',
        ...(isHealth ? { whileDisabled: true } : {}),
      })),
      async answer({ path, parameters, query, chainId, requestId, asked, shared }) {
        const found = pagesByPath.get(path)
        if (found === undefined) throw new RangeError(`no page is declared at ${path}`)
        const address = { path: parameters, query: declaredQuery(found.page, query) }
        const { takesLong, isHealth } = found.page
        // A page about health is shown also while no chain answers.
        const chain = isHealth ? unreadChain(chainId) : await chainAt(chainId)
        // What the document was made of. It is made anew once this differs. The day is in it, as a new one may begin without a new block.
        const stamp = `${chain.block?.blockHash} ${chain.today} ${indexes.health(chainId)?.blockNumber}`
        const key = JSON.stringify([path, chainId, parameters, address.query])
        const makeNow = () => make(found, address, chain, requestId)
        const makeOrKeep = () =>
          takesLong ? kept.getSoon(key, stamp, makeNow) : kept.get(key, stamp, makeNow)
        const made = await (isHealth ? makeNow() : makeOrKeep())
        const headers = { ...shared, ...headersOf(found.page), ETag: made.etag }
        const { status, headers: sent, body } = await made.content.respond(asked, headers)
        return new Response(body, { status: status === 200 ? made.status : status, headers: sent })
      },
      refusal({ status, headers, body }: WireError, path, shared) {
        const page = path === undefined ? undefined : pagesByPath.get(path)?.page
        const data: PageData = {
          page: REFUSAL,
          ...common(),
          path: {},
          query: {},
          chain: null,
          answers: {},
          refusal: { ...body, status },
        }
        const title = TITLES[status] ?? 'This page cannot be shown'
        const html = pageDocument({
          title: `${title} · Remit`,
          description: 'Why this page could not be shown.',
          files: refusalFiles,
          data,
          plainly: { title, text: body.error },
        })
        return new Response(html, {
          status,
          headers: { ...shared, ...headersOf(page), 'Cache-Control': 'no-store', ...headers },
        })
      },
    }
  }
}

/** A declared page, with the files of its component. */
interface Found {
  readonly page: SitePage
  readonly files: ReturnType<SiteFiles['of']>
}

/** The parameters of a query that the page declares, as far as they have a value. */
function declaredQuery({ query: names }: SitePage, query: URLSearchParams): Record<string, string> {
  const given = names.flatMap((name) => {
    const value = query.get(name)
    return value === null || value === '' ? [] : [[name, name === 'address' ? checksummed(value) : value]]
  })
  return Object.fromEntries(given)
}

/** The status of a page's document: 404 or 400 where the read of its subject was answered so, else 200, whatever the page shows. */
function statusOf({ subject }: SitePage, answers: PageAnswers): number {
  const status = subject === undefined ? 200 : (answers[subject]?.status ?? 200)
  return status === 400 || status === 404 ? status : 200
}

function isIncomplete({ status, body }: PageAnswers[string]): boolean {
  return status >= 500 || (status === 200 && 'error' in body)
}

interface AnswersOptions {
  readonly operations: readonly Operation[]
  readonly pipeline: Pick<Pipeline, 'callForItself'>
  readonly responses: Pick<Responses, 'report'>
}

/**
 * Makes what runs a page's reads: its `reads`, then its `readsNext` with their answers. A read that fails is an answer too: the
 * page shows it.
 */
function createAnswerReader({ operations, pipeline, responses }: AnswersOptions) {
  const byName = new Map(operations.map((operation) => [operation.name, operation]))

  return async (
    page: SitePage,
    address: PageAddress,
    { chainId, today }: PageTime & { readonly chainId: number },
    requestId: string,
  ) => {
    const at = { today }
    const run = async (reads: PageReads): Promise<PageAnswers> => {
      const rows = Object.entries(reads).map(
        async ([key, read]) => [key, await answer(read, chainId, requestId)] as const,
      )
      return Object.fromEntries(await Promise.all(rows))
    }
    const first = await run(page.reads(address, at))
    return { ...first, ...(await run(page.readsNext(first, address, at))) }
  }

  async function answer(
    { operation: name, input = {}, most = {} }: PageRead,
    chainId: number,
    requestId: string,
  ): Promise<PageAnswer> {
    const operation = byName.get(name)
    if (operation === undefined) throw new RangeError(`a page reads ${name}, which is no operation`)
    const known = inputKinds(operation)
    const given = Object.entries(input).filter(([, value]) => value !== undefined)
    const typed = Object.fromEntries(
      given.map(([field, value]) => [
        field,
        typeof value === 'string' ? toJsonValue(value, known.get(field)) : value,
      ]),
    )
    const shown = { operation: camelCase(name), input: typed }
    try {
      const { body } = await pipeline.callForItself(operation, { chainId, input: typed })
      return { ...shown, status: 200, body: cutTo(most, body) }
    } catch (thrown) {
      const { status, body } = toWire(toRemitError(thrown), requestId)
      responses.report(thrown, { requestId })
      return { ...shown, status, body }
    }
  }
}

/** The body with fewer rows: of each list that `most` names, at most so many. Other fields of the body say how many there are in all. */
function cutTo(
  most: Readonly<Record<string, number>>,
  body: Readonly<Record<string, unknown>>,
): PageAnswer['body'] {
  const shorter: Record<string, unknown> = { ...body }
  for (const [field, count] of Object.entries(most)) {
    const rows = body[field]
    if (Array.isArray(rows)) shorter[field] = rows.slice(0, count)
  }
  return shorter
}

/** `get_subscription` is `getSubscription` in the client. */
function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** An address as everything else on the page writes it; wallets give theirs in small letters. */
function checksummed(value: string): string {
  // The cast is safe by the pattern. An address with capitals is left to the operation, which checks its checksum.
  return /^0x[0-9a-f]{40}$/.test(value) ? getAddress(value as Hex) : value
}
