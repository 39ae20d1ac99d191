// What dependency-cruiser checks: packages meet at their doors and in one direction, nothing goes round in a circle, types
// included, and what is to run anywhere needs no Node.
const TESTS = '(\\.test(-d)?\\.tsx?$|^packages/contracts/(test|testing|edges)/)'

/** What each package may import of the others, outside of its tests. */
const MAY_USE = {
  contracts: [],
  protocol: ['contracts'],
  engine: ['contracts', 'protocol'],
  client: ['engine', 'protocol'],
  react: ['client'],
  site: ['client', 'protocol'],
  // Of the site and the client it takes what it serves: the built files, where their header leads, and the types of the pages' contents.
  service: ['client', 'contracts', 'engine', 'protocol', 'site'],
  devchain: ['client', 'contracts', 'engine', 'service'],
}

const oneWay = Object.entries(MAY_USE).map(([name, others]) => ({
  name: `${name} uses ${others.length === 0 ? 'no other package' : others.join(', ')}`,
  severity: 'error',
  from: { path: `^packages/${name}/`, pathNot: TESTS },
  to: {
    path: '^(packages|test|bench|deploy|examples)/',
    pathNot: [name, ...others].map((one) => `^packages/${one}/`),
  },
}))

export default {
  forbidden: [
    { name: 'no circle', severity: 'error', from: { pathNot: TESTS }, to: { circular: true } },
    ...oneWay,
    {
      name: 'the client loads the engine with the first answer from a node',
      severity: 'error',
      from: {
        path: '^packages/client/',
        pathNot: [TESTS, '^packages/client/src/(node/(engine|NodeChains)|generated/nodeOperations)\\.ts$'],
      },
      to: { path: '^packages/engine/' },
    },
    {
      name: 'packages meet at their doors',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: {
        path: '^(packages|test|bench|deploy|examples)/',
        pathNot: '^packages/$1/',
        dependencyTypes: ['local'],
      },
    },
    {
      name: 'protocol and engine run without Node',
      severity: 'error',
      from: { path: '^packages/(protocol|engine)/', pathNot: TESTS },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'protocol reads nothing from wires',
      severity: 'error',
      from: { path: '^packages/protocol/', pathNot: TESTS },
      to: { path: 'node_modules/zod/' },
    },
    {
      name: 'each package declares what it needs',
      severity: 'error',
      from: { path: '^packages/', pathNot: TESTS },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/[^/]+/(pack/)?dist/' },
    // Types count too: who needs another package's types depends on that package.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
    combinedDependencies: false,
  },
}
