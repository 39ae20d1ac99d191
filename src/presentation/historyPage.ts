import type { Page } from '../core/ports/history.ts'
import type { PageLimits } from '../schema/page.ts'

/** The page sizes of history lists. */
export const HISTORY_PAGE: PageLimits = { default: 25, max: 100 }

/** The empty page, where the index cannot be read. */
export const NO_ROWS: Page<never> = { rows: [], hasMore: false, nextCursor: null }
