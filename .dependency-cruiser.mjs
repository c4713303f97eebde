// The arrows: core <- test-contracts and adapters <- inversify <- pinfold, never sideways, never back; the doors
// (API, viewer, management screen) stand on core <- http, and test-contracts on memory, with which it compares.
const doors = 'http-express|viewer|management';
const anyPackage = '^(packages|test-contracts|examples)/';

/** A package may import itself and what is named; nothing else of ours. */
const only = (name, from, ...allowed) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { path: anyPackage, pathNot: [from, ...allowed] },
});

export default {
  forbidden: [
    {
      name: 'core-imports-nothing',
      severity: 'error',
      from: { path: '^packages/core/src/' },
      to: { pathNot: '^packages/core/src/' },
    },
    {
      name: 'adapters-import-core-only',
      comment: 'what is neither core nor composition is an adapter; none knows another',
      severity: 'error',
      from: {
        path: '^packages/([^/]+)/src/',
        pathNot: `^packages/(client|core|inversify|pinfold|${doors})/`,
      },
      to: { path: anyPackage, pathNot: '^packages/($1|core)/src/' },
    },
    {
      name: 'doors-import-core-and-http',
      comment: 'API, viewer and management screen stand side by side on one base',
      severity: 'error',
      from: { path: `^packages/(${doors})/src/` },
      to: { path: anyPackage, pathNot: '^packages/($1|core|http)/src/' },
    },
    {
      name: 'client-imports-nothing',
      comment: 'it has no dependency; the packer is bundled with fflate and the rules of the core for names',
      severity: 'error',
      from: { path: '^packages/client/src/', pathNot: '^packages/client/src/zip[.]ts$' },
      to: { pathNot: '^packages/client/src/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'client-runs-everywhere',
      comment: 'only what is for Node imports modules of Node',
      severity: 'error',
      from: { path: '^packages/client/src/', pathNot: '^packages/client/src/node[.]ts$' },
      to: { dependencyTypes: ['core'] },
    },
    only('test-contracts-import-core-and-memory', '^test-contracts/src/', '^packages/(core|memory)/src/'),
    {
      name: 'inversify-takes-types-of-doors',
      comment: 'it names the parts, and runs with the core alone',
      severity: 'error',
      from: { path: '^packages/inversify/src/' },
      to: {
        path: anyPackage,
        pathNot: '^packages/(inversify|core)/src/',
        dependencyTypesNot: ['type-only'],
      },
    },
    only('pinfold-imports-packages', '^packages/pinfold/src/', '^packages/[^/]+/src/'),
    {
      name: 'by-name-only',
      comment: 'another package is imported by its name, so that what is tested is what is published',
      severity: 'error',
      from: {
        path: '^(packages/[^/]+|acceptance|test-contracts/proof|test-contracts|examples/[^/]+)/',
      },
      to: { path: anyPackage, pathNot: '^$1/', dependencyTypes: ['local'] },
    },
    {
      name: 'no-circle',
      comment: 'types may refer to each other; modules that run may not',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'in-its-own-manifest',
      comment: 'every import is in the manifest of the package that imports it',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown'] },
    },
    {
      name: 'no-dev-dependency-in-sources',
      severity: 'error',
      from: {
        path: '^(packages/[^/]+|test-contracts)/src/',
        // Bundled into what is published.
        pathNot: '^packages/client/src/zip[.]ts$',
      },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['npm', 'npm-peer', 'npm-optional', 'type-only'],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Projects of their own, whose dependencies are installed only where they are built.
    exclude: { path: '/dist/|^acceptance/sites/[^/]+/' },
    combinedDependencies: false,
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      conditionNames: ['@pinfold/source', 'import', 'types', 'node', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.json', '.d.ts'],
      exportsFields: ['exports'],
    },
  },
};
