// Stands in client.js and in the service's own pages for parts of the client that they leave out, which are larger than the rest.

function leftOut(): never {
  throw new TypeError('This copy of the client leaves that out. Install the package: it has all of it.')
}

export const KeyTransaction = { sign: leftOut, adopt: leftOut }
export const withoutEvents = { stream: leftOut }
export const createEvents = () => withoutEvents
