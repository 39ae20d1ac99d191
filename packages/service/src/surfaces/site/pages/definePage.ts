import type { PageAddress, PageAnswers } from '@remit/site/page/pageContents'

// How a page of the site is declared: its address, and which operations are read for it before its document is sent.
// `createPages.ts` runs the reads; the page's component in `packages/site` shows their answers.

/** One read: an operation with its input. Texts are converted to the types of the operation's schema, as in a query. */
export interface PageRead {
  /** The declared name, such as `get_subscription`. */
  readonly operation: string
  readonly input?: Readonly<Record<string, unknown>>
  /** The most rows that the document takes of these lists in the answer, by their fields: of lists that have no pages. */
  readonly most?: Readonly<Record<string, number>>
}

/** Reads by the names under which the component finds their answers. */
export type PageReads = Readonly<Record<string, PageRead>>

/** The names of a path's parameters, as a type: `'id'` of `'/plans/:id'`. */
type ParametersOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParametersOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** What is declared of a page. `Path` and `Query` give `reads` the parameters by their names. */
interface PageDeclaration<Path extends string, Query extends string> {
  /** Also the folder of its component: `packages/site/src/pages/<name>/page.tsx`. */
  readonly name: string
  readonly path: Path
  readonly title: string
  /** Shown by search engines, and where somebody sends the link on. */
  readonly description: string
  /** The query's parameters, beside `chainId`. Others are ignored: whoever sends a link on may have added some. */
  readonly query?: readonly Query[]
  /** The first reads, which depend on the page's address alone. */
  reads?(address: TypedAddress<Path, Query>, at: PageTime): PageReads
  /** Further reads, which depend on the answers of the first ones: the names of providers in a list, for example. */
  readsNext?(answers: PageAnswers, address: TypedAddress<Path, Query>, at: PageTime): PageReads
  /** The name of the read that the page is about. Where its answer is a 400 or 404, so is the document's status. */
  readonly subject?: string
  /** Whether the page may reach the window that opened it (`window.opener`), to tell it what happened. */
  readonly keepsOpener?: true
  /** Whether its reads are slow: then visitors are shown the document before, if it is at most ten seconds old. */
  readonly takesLong?: true
  /** Whether it shows the service's health: made anew for each visitor, never refused by a limit, there while the API is off. */
  readonly isHealth?: true
}

/** When a page is made, by its chain's clock. */
export interface PageTime {
  /** The number of the day: unix time / 86400. `null` where the chain could not be read. */
  readonly today: number | null
}

interface TypedAddress<Path extends string, Query extends string> {
  readonly path: Readonly<Record<ParametersOf<Path>, string>>
  readonly query: Readonly<Partial<Record<Query, string>>>
}

/** A declared page as `createPages.ts` sees it: fields as in `PageDeclaration`, none left out, parameters without their types. */
export interface SitePage {
  readonly name: string
  readonly path: string
  readonly title: string
  readonly description: string
  readonly query: readonly string[]
  readonly subject: string | undefined
  readonly keepsOpener: boolean
  readonly takesLong: boolean
  readonly isHealth: boolean
  reads(address: PageAddress, at: PageTime): PageReads
  readsNext(answers: PageAnswers, address: PageAddress, at: PageTime): PageReads
}

/** Declares one page: fills in what the declaration leaves out. It is served once it stands in the list of `declared.ts`. */
export function definePage<const Path extends string, const Query extends string = never>(
  declaration: PageDeclaration<Path, Query>,
): SitePage {
  // Safe: `createPages.ts` reads the address by this path and this list of parameters.
  const typed = (address: PageAddress) => address as TypedAddress<Path, Query>
  return {
    query: [],
    subject: undefined,
    keepsOpener: false,
    takesLong: false,
    isHealth: false,
    ...declaration,
    reads: (address, at) => declaration.reads?.(typed(address), at) ?? {},
    readsNext: (answers, address, at) => declaration.readsNext?.(answers, typed(address), at) ?? {},
  }
}
