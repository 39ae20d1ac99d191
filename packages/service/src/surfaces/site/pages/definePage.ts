import type { PageAddress, PageAnswers } from '@remit/site/page/pageContents'

/** One read of an operation. Texts of the input are read as the operation's schema wants them, as in a query. */
export interface PageRead {
  /** The declared name, such as `get_subscription`. */
  readonly operation: string
  readonly input?: Readonly<Record<string, unknown>>
  /** Lists of the answer that have no pages, with the most rows that the document takes of each. */
  readonly most?: Readonly<Record<string, number>>
}

export type PageReads = Readonly<Record<string, PageRead>>

/** The parameters that a path names: `id` of `/plans/:id`. */
type ParametersOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParametersOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** What is declared of a page, with the parameters of its path by their names. */
interface PageDeclaration<Path extends string, Query extends string> {
  /** Also the folder of its component: `packages/site/src/pages/<name>/page.tsx`. */
  readonly name: string
  readonly path: Path
  readonly title: string
  /** For search engines, and for those who send the link on. */
  readonly description: string
  /** The query's parameters, beside `chainId`. Others are ignored: whoever sends a link on may have added some. */
  readonly query?: readonly Query[]
  /** What the page shows, at most 10 rows each. */
  reads?(address: TypedAddress<Path, Query>, at: PageTime): PageReads
  /** What it shows beside that, which depends on the first answers: the names of those in a list, for example. */
  readsNext?(answers: PageAnswers, address: TypedAddress<Path, Query>, at: PageTime): PageReads
  /** The read that the page is about: where it is refused with a 4xx, that is the document's status too. */
  readonly subject?: string
  /** Whether it keeps the window that opened it, to tell it what happened. */
  readonly keepsOpener?: true
  /** Whether it may take so long that visitors are shown it as it was, at most ten seconds ago. It says at which block. */
  readonly takesLong?: true
  /** Whether it says how the service is: made anew for each visitor, never refused by a limit, also there while the API is switched off. */
  readonly isHealth?: true
}

/** When a page is made, by its chain's clock. */
export interface PageTime {
  /** Unix time / 86400; `null` where the chain could not be read. */
  readonly today: number | null
}

interface TypedAddress<Path extends string, Query extends string> {
  readonly path: Readonly<Record<ParametersOf<Path>, string>>
  readonly query: Readonly<Partial<Record<Query, string>>>
}

/** A declared page, as the surface sees it. */
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

/** Declares one page. It is served once it stands in `declared.ts`. */
export function definePage<const Path extends string, const Query extends string = never>(
  declaration: PageDeclaration<Path, Query>,
): SitePage {
  const {
    name,
    path,
    title,
    description,
    query = [],
    subject,
    keepsOpener = false,
    takesLong = false,
    isHealth = false,
  } = declaration
  // Safe: the address is read by this path and by this list of parameters.
  const typed = (address: PageAddress) => address as TypedAddress<Path, Query>
  return {
    name,
    path,
    title,
    description,
    query,
    subject,
    keepsOpener,
    takesLong,
    isHealth,
    reads: (address, at) => declaration.reads?.(typed(address), at) ?? {},
    readsNext: (answers, address, at) => declaration.readsNext?.(answers, typed(address), at) ?? {},
  }
}
