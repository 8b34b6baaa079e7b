/** The titles of the tests in a source, as they are written. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

const root = new URL('../../', import.meta.url);
const FUNCTIONS = new Set(['test', 'it', 'describe']);
const TABLES = new Set(['each', 'for']);

/** What of a syntax tree is looked at. */
interface Node {
  readonly type: string;
  readonly name?: string;
  readonly value?: unknown;
  readonly left?: Node;
  readonly right?: Node;
  readonly object?: Node;
  readonly property?: Node;
  readonly callee?: Node;
  readonly arguments?: readonly Node[];
  readonly expressions?: readonly Node[];
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[];
  readonly id?: Node;
  readonly init?: Node;
}

/** Each file of TypeScript in which a test may stand, from the root of the repository. */
export function testSources(): readonly string[] {
  return [
    'test',
    'testing/test',
    ...globSync('packages/*/test', { cwd: root }),
    'examples',
    'bench',
  ].flatMap((folder) =>
    readdirSync(fileURLToPath(new URL(folder, root)), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.split('/').includes('node_modules'))
      .map((file) => `${folder}/${file}`)
      .sort(),
  );
}

/** @param file - from the root of the repository. @returns nothing when there is no such file. */
export function titlesOf(file: string): readonly string[] | undefined {
  const source = sourceOf(file);
  return source === undefined ? undefined : titlesIn(source);
}

/** All texts of a file, of which some are titles where it is a table of cases for a test elsewhere. */
export function textsOf(file: string): readonly string[] | undefined {
  const source = sourceOf(file);
  return source === undefined ? undefined : textsIn(parse(source), new Map());
}

function sourceOf(file: string): string | undefined {
  const path = new URL(file, root);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/**
 * Titles of `test`, `it` and `describe`, in all their forms, with `…` for what a template fills in; then
 * the texts in the tables of `each` and `for`, which may be a title or a part of one.
 */
export function titlesIn(source: string): readonly string[] {
  const calls: Node[] = [];
  const declared = new Map<string, Node>();
  visit(parse(source), (node) => {
    if (node.type === 'CallExpression') calls.push(node);
    if (node.type === 'VariableDeclarator' && node.id?.name !== undefined && node.init != null) {
      declared.set(node.id.name, node.init);
    }
  });
  const ofTests = calls.filter(({ callee }) => FUNCTIONS.has(nameOf(callee)));
  const titles = ofTests.flatMap(({ arguments: [first] = [] }) => textOf(first) ?? []);
  const tables = ofTests
    .filter(({ callee }) => TABLES.has(callee?.property?.name ?? ''))
    .flatMap(({ arguments: given = [] }) => given);
  return [...titles, ...tables.flatMap((table) => textsIn(table, declared))];
}

function parse(source: string): unknown {
  return parseAst(source, { lang: 'ts' });
}

/** `test` of `test.each(…)`. */
function nameOf(node: Node | undefined): string {
  if (node === undefined) return '';
  return node.name ?? nameOf(node.object ?? node.callee);
}

function textOf(node: Node | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral') {
    return node.quasis?.map(({ value }) => value.cooked).join('…');
  }
  if (node?.type === 'BinaryExpression') {
    const [left, right] = [textOf(node.left), textOf(node.right)];
    return left === undefined || right === undefined ? undefined : left + right;
  }
  return undefined;
}

/** All texts in a table, and in the constants of the same source that it is made of. */
function textsIn(table: unknown, declared: ReadonlyMap<string, Node>): readonly string[] {
  const texts: string[] = [];
  const seen = new Set<string>();
  const look = (node: Node): void => {
    const text = textOf(node);
    if (text !== undefined) texts.push(text);
    const { name } = node;
    const constant = node.type === 'Identifier' && name !== undefined && declared.get(name);
    if (!constant || seen.has(name)) return;
    seen.add(name);
    visit(constant, look);
  };
  visit(table, look);
  return texts;
}

function visit(node: unknown, look: (node: Node) => void): void {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, look);
  } else if (typeof node === 'object' && node !== null) {
    if ('type' in node) look(node as Node);
    for (const value of Object.values(node)) visit(value, look);
  }
}
