// The floor plan (who may import whom) is test/floor-plan.test.ts; here stand the rules that hold in any house.
export default {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'Modules that need each other cannot be understood or tested alone.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'resolvable',
      comment: 'Every import leads to a file or an installed package.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-tool-in-the-product',
      comment: 'What runs in production stands under dependencies, not devDependencies.',
      severity: 'error',
      from: { path: '^(src|sandbox|web/src)/', pathNot: '[.]test[.]tsx?$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'listed-package',
      comment: 'An imported package stands in package.json.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    // TypeScript 7 has no JavaScript interface; without swc the tool would pass having read nothing.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
