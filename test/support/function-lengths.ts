/** How many lines each function of a source has. */
import { parseAst } from 'rolldown/parseAst';

/** A function that has a body. */
export interface FunctionLength {
  /** Its own name, or that of the constant, member or property that it is; '' for one without. */
  readonly name: string;
  /** The line that it begins on, from 1. */
  readonly line: number;
  /** From its first line to its last, with the functions that are declared in it; without its docstring. */
  readonly lines: number;
}

/** What of a syntax tree is looked at. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly id?: { readonly name?: string } | null;
  readonly key?: { readonly name?: string };
  readonly value?: unknown;
  readonly init?: unknown;
}

const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);

/** What begins before the function that it is. */
const MEMBERS: ReadonlySet<string> = new Set(['MethodDefinition', 'Property']);

/** Each function of TypeScript, in the order of their first lines. */
export function functionLengths(source: string): readonly FunctionLength[] {
  const found: FunctionLength[] = [];
  const add = ({ start, end }: Node, name: string): void => {
    const line = lineAt(source, start);
    found.push({ name, line, lines: lineAt(source, end - 1) - line + 1 });
  };
  visit(parseAst(source, { lang: 'ts' }), (node, parent) => {
    if (!FUNCTIONS.has(node.type)) return;
    const holder = parent?.value === node || parent?.init === node ? parent : undefined;
    const name = node.id?.name ?? holder?.id?.name ?? holder?.key?.name ?? '';
    add(holder !== undefined && MEMBERS.has(holder.type) ? holder : node, name);
  });
  return found;
}

function lineAt(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length;
}

function visit(
  node: unknown,
  look: (node: Node, parent: Node | undefined) => void,
  parent?: Node,
): void {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, look, parent);
  } else if (typeof node === 'object' && node !== null) {
    const own = 'type' in node ? (node as Node) : undefined;
    if (own !== undefined) look(own, parent);
    for (const value of Object.values(node)) visit(value, look, own ?? parent);
  }
}
