// What dependency-cruiser checks: no circle of imports, types included, and no import that the table of rooms does
// not allow.
import { rooms } from './rooms.mjs'

const below = (path) => `^${path.replaceAll('.', '\\.')}${/\.\w+$/.test(path) ? '$' : '/'}`
const paths = rooms.flatMap((room) => room.paths)
/** Folders with a row of their own inside this one: their files are not this room's. */
const within = (path) => paths.filter((other) => other !== path && other.startsWith(`${path}/`)).map(below)
const everything = rooms.filter((room) => room.imports === 'everything').flatMap((room) => room.paths)

const allowed = rooms
  .filter((room) => room.imports !== 'everything')
  .map(({ paths, imports }) => ({
    name: `${paths[0]} imports what its row allows`,
    severity: 'error',
    from: { path: paths.map(below), pathNot: [TESTS(), ...paths.flatMap(within)] },
    to: { path: TREE(), pathNot: [...paths, ...imports].map(below) },
  }))

const entered = rooms
  .filter((room) => room.doors !== undefined)
  .map(({ paths: [path], doors }) => ({
    name: `${path} is entered through ${doors.join(', ')}`,
    severity: 'error',
    from: { path: '^(src|packages/client/src)/', pathNot: [TESTS(), below(path)] },
    to: { path: below(path), pathNot: [...doors.map((door) => `^${path}/${door}$`), ...within(path)] },
  }))

/** A file that no row speaks of would be checked by nothing. */
const placed = {
  name: 'every file has a room',
  severity: 'error',
  from: {},
  to: { path: '^(src|packages/client/src)/', pathNot: [...paths.map(below), ...everything.map(below)] },
}

function TESTS() {
  return '\\.test(-d)?\\.ts$'
}

function TREE() {
  return '^(src|client|contracts|devnet|deploy|examples|bench|test|subgraph)/'
}

export default {
  forbidden: [
    { name: 'no circle', severity: 'error', from: { pathNot: TESTS() }, to: { circular: true } },
    ...allowed,
    ...entered,
    placed,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/(dist|generated/typechain)/' },
    // Types count too: who needs another room's types depends on that room.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
}
