/** Somebody's page: the button, and what the page says when its events come. It needs nothing from npm. */
import { planIn } from './planIn.ts'

const join = part('join')
const plan = planIn(location.search)
if (plan === undefined) say('Name a plan in the address: ?plan=0x…')
else join.setAttribute('plan', plan)
const own = part('own')
if (own instanceof HTMLAnchorElement) own.search = location.search

join.addEventListener('remit-ready', () => say('The window is open.'))
join.addEventListener('remit-subscribed', (event) => {
  // For the looks. Before the shop delivers, its server asks GET /subscriptions/:id/subscribers/:address.
  if (event instanceof CustomEvent)
    say(`Thank you! It is in transaction ${String(event.detail.transactionHash)}.`)
})
join.addEventListener('remit-closed', (event) => {
  if (!(event instanceof CustomEvent) || event.detail.subscribed === true) return
  say(event.detail.pending === true ? 'It is on its way. Look again in a minute.' : 'Perhaps another time.')
})

function say(sentence: string): void {
  part('news').textContent = sentence
}

function part(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`The page has no ${id}`)
  return found
}
