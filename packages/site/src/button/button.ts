import { SubscribeButton } from './SubscribeButton.ts'

// A page can load this twice.
if (customElements.get('remit-subscribe') === undefined) {
  customElements.define('remit-subscribe', SubscribeButton)
}
