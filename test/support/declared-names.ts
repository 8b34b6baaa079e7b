/** The names that a source of TypeScript declares. */
import { parseAst } from 'rolldown/parseAst';

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The fields of a node that bind names: each is an identifier or a pattern of some. */
const BINDING: Readonly<Record<string, readonly string[]>> = {
  VariableDeclarator: ['id'],
  FunctionDeclaration: ['id', 'params'],
  FunctionExpression: ['id', 'params'],
  ArrowFunctionExpression: ['params'],
  ClassDeclaration: ['id'],
  ClassExpression: ['id'],
  MethodDefinition: ['key'],
  PropertyDefinition: ['key'],
  TSInterfaceDeclaration: ['id'],
  TSTypeAliasDeclaration: ['id'],
  TSEnumDeclaration: ['id'],
  TSEnumMember: ['id'],
  TSPropertySignature: ['key'],
  TSMethodSignature: ['key'],
  CatchClause: ['param'],
};

/**
 * The names of variables, parameters, functions, classes, types and their members, in the order in which
 * they stand. Uses of a name, strings and imports are no declarations.
 */
export function declaredNames(source: string): readonly string[] {
  const names: string[] = [];
  visit(parseAst(source, { lang: 'ts' }), names);
  return names;
}

function visit(node: unknown, names: string[]): void {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, names);
  } else if (isNode(node)) {
    for (const field of BINDING[node.type] ?? []) bind(node[field], names);
    for (const value of Object.values(node)) visit(value, names);
  }
}

/** Adds the names of an identifier or a pattern. */
function bind(pattern: unknown, names: string[]): void {
  if (Array.isArray(pattern)) {
    for (const each of pattern) bind(each, names);
  } else if (!isNode(pattern)) return;
  else if (pattern.type === 'Identifier' || pattern.type === 'PrivateIdentifier') {
    names.push(String(pattern.name));
  } else if (pattern.type === 'ObjectPattern') bind(pattern.properties, names);
  else if (pattern.type === 'ArrayPattern') bind(pattern.elements, names);
  else if (pattern.type === 'AssignmentPattern') bind(pattern.left, names);
  else if (pattern.type === 'Property') bind(pattern.value, names);
  else if (pattern.type === 'RestElement') bind(pattern.argument, names);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}
