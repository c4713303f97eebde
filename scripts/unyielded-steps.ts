// Without it a program could call a step and drop it: `remove(NAMES, key);` compiles, and removes nothing.
import { stripTypeScriptTypes } from 'node:module';
import { type CallExpression, type Expression, type Node, parse } from 'acorn';

/** The functions of `@pinfold/core/records` that create a step, or join several. */
export const STEP_FUNCTIONS: ReadonlySet<string> = new Set([
  'aggregate',
  'all',
  'distinct',
  'find',
  'get',
  'getWith',
  'insert',
  'max',
  'remove',
  'scan',
  'together',
  'unlocked',
  'update',
  'upsert',
]);

const OF_RECORDS = /^@pinfold\/core\/records$|\/(?:records|steps?)\.ts$/;

/**
 * Calls in a source text whose step is dropped, as `line: function`: in an expression that is a statement, by
 * `forEach`, and by `yield` instead of `yield*`. Within a generator the same holds for every plain function, which may
 * return steps.
 */
export function unyieldedSteps(source: string): readonly string[] {
  if (!/records|steps?/.test(source)) return [];
  const program = parse(stripTypeScriptTypes(source), {
    ecmaVersion: 'latest',
    sourceType: 'module',
    locations: true,
  });
  const imported = importedFrom(program);
  if (imported.size === 0) return [];
  const found: string[] = [];
  const report = (call: CallExpression, isInGenerator: boolean): void => {
    if (call.callee.type !== 'Identifier') return;
    const { name } = call.callee;
    if (isInGenerator || imported.has(name)) found.push(`${call.loc?.start.line}: ${name}`);
  };
  walk(program, false, (node, isInGenerator) => {
    if (isOf(node, 'ExpressionStatement')) {
      for (const call of dropped(node.expression)) report(call, isInGenerator);
    } else if (isOf(node, 'YieldExpression') && !node.delegate && node.argument) {
      for (const call of dropped(node.argument)) report(call, false);
    } else if (isOf(node, 'CallExpression') && isForEach(node)) {
      for (const one of node.arguments) {
        if (one.type !== 'ArrowFunctionExpression' || one.body.type === 'BlockStatement') continue;
        for (const call of dropped(one.body)) report(call, isInGenerator);
      }
    }
  });
  return found;
}

/** The step functions that a module imports. */
function importedFrom(program: Node & { readonly body: readonly Node[] }): ReadonlySet<string> {
  const names = program.body.flatMap((node) => {
    if (!isOf(node, 'ImportDeclaration') || !OF_RECORDS.test(String(node.source.value))) return [];
    return node.specifiers.flatMap((specifier) => {
      if (specifier.type !== 'ImportSpecifier' || specifier.imported.type !== 'Identifier') return [];
      return STEP_FUNCTIONS.has(specifier.imported.name) ? [specifier.local.name] : [];
    });
  });
  return new Set(names);
}

/** The calls whose results an expression drops. */
function dropped(expression: Expression): readonly CallExpression[] {
  switch (expression.type) {
    case 'CallExpression':
      return [expression];
    case 'LogicalExpression':
      return dropped(expression.right);
    case 'ConditionalExpression':
      return [...dropped(expression.consequent), ...dropped(expression.alternate)];
    case 'SequenceExpression':
      return expression.expressions.flatMap(dropped);
    case 'AwaitExpression':
    case 'UnaryExpression':
      return dropped(expression.argument);
    default:
      return [];
  }
}

function isForEach({ callee }: CallExpression): boolean {
  return (
    callee.type === 'MemberExpression' &&
    callee.property.type === 'Identifier' &&
    callee.property.name === 'forEach'
  );
}

function isOf<Type extends AnyNode['type']>(
  node: Node,
  type: Type,
): node is Extract<AnyNode, { type: Type }> {
  return node.type === type;
}

type AnyNode = import('acorn').AnyNode;

function walk(
  node: Node,
  isInGenerator: boolean,
  inspect: (node: Node, isInGenerator: boolean) => void,
): void {
  inspect(node, isInGenerator);
  const { type, generator } = node as Node & { readonly generator?: boolean };
  const inside = /Function/.test(type) ? generator === true : isInGenerator;
  for (const value of Object.values(node).flat()) {
    if (typeof value === 'object' && value !== null && typeof value.type === 'string') {
      walk(value as Node, inside, inspect);
    }
  }
}
