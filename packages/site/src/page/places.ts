/** Where the header of every page leads: the page's name, its path, its title. */
export const PLACES = [
  ['plans', '/plans', 'Plans'],
  ['me', '/me', 'My subscriptions'],
  ['desk', '/desk', 'For providers'],
  ['keeper', '/keeper', 'Collect'],
] as const
