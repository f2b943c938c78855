import { Visitor } from '@swc/core/Visitor.js';
import manifest from './package.json' with { type: 'json' };

const tools = Object.keys(manifest.devDependencies).filter((name) => !name.startsWith('@types/'));

// swc's visitor does not know `using` and would stop the whole run.
const visitStatement = Visitor.prototype.visitStatement;
Visitor.prototype.visitStatement = function visitAnyStatement(statement) {
  if (statement.type !== 'UsingDeclaration') return visitStatement.call(this, statement);
  this.visitVariableDeclarators(statement.decls);
  return statement;
};

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
      comment: 'What the running product can reach stands under dependencies, not devDependencies.',
      severity: 'error',
      from: { path: '^(src/cli/main[.]ts|sandbox/main[.]ts|web/src/main[.]tsx)$' },
      to: { path: `^node_modules/(${tools.join('|')})/`, reachable: true },
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
