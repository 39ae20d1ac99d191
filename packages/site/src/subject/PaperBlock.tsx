import { When } from '../design/values/When.tsx'
import { chainNow } from '../page/live.ts'
import { pageData } from '../page/pageData.ts'

/** On paper alone: by which block the page is. A screen says how long ago it was read. */
export function PaperBlock() {
  const block = chainNow.value?.block
  return block ? (
    <span class="subject__paper quiet">
      As of <When at={new Date(block.timestamp * 1000)} />, block {block.blockNumber} of chain{' '}
      {pageData.chain?.chainId}
    </span>
  ) : null
}
