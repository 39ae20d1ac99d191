// `/button.js`: pages of others load it, and get the element `<remit-subscribe>`.
import { SubscribeButton } from './SubscribeButton.ts'

// A page can load this twice, and a name is defined once.
if (customElements.get('remit-subscribe') === undefined) {
  customElements.define('remit-subscribe', SubscribeButton)
}
