import { signal } from '@preact/signals'
import { Button } from '../Button.tsx'
import { Dialog } from './Dialog.tsx'

/** Whether an `import()` of the page has failed. Vite's code around each of them tells of it here, whoever asked. */
const hasFailed = signal(false)
addEventListener('vite:preloadError', () => {
  hasFailed.value = true
})

/** Says that code which the page asked for did not come. A dialog, because a button far down the page, or in a dialog, may have asked. */
export function NotLoaded() {
  if (!hasFailed.value) return null
  const close = () => {
    hasFailed.value = false
  }
  return (
    <Dialog title="A part of this page could not be loaded." isOpen onClose={close}>
      <p>The connection failed, or this site has been updated since you opened the page.</p>
      <Button kind="primary" isWide onClick={() => location.reload()}>
        Load the page again
      </Button>
    </Dialog>
  )
}
