/**
 * The public surface of a package, read from its sources with TypeScript's own API: for each entry the
 * exported names, their declarations without bodies and private members, and their docstrings.
 *
 * `typescript/unstable/sync` is how TypeScript 7 offers its checker to JavaScript. It starts the
 * compiler as a process, which `read` ends.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type ClassDeclaration,
  type FunctionDeclaration,
  type Node,
  SyntaxKind,
  type TypeAliasDeclaration,
  type UnionTypeNode,
  type VariableDeclaration,
} from 'typescript/unstable/ast';
import { API, type Project, SymbolFlags, type Symbol as TsSymbol } from 'typescript/unstable/sync';

export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));

/** The packages whose surface is recorded, and the project of each that has all of its entries. */
const PACKAGES = [
  { folder: '.', project: 'tsconfig.build.json' },
  { folder: 'testing', project: 'tsconfig.build.json' },
  { folder: 'packages/metacontroller', project: '../../tsconfig.packages.json' },
] as const;

/** What one name stands for. */
export interface Declared {
  readonly name: string;
  /** Such as `interface`, `function` or `class`. */
  readonly kind: string;
  /** Without comments, bodies and private members: one line, or one line for each member. */
  readonly text: string;
  /** Its file, from the root of the repository. */
  readonly file: string;
  readonly doc: string;
  /** Members that have no docstring. */
  readonly undocumented: readonly string[];
}

/** One entry of a package. */
export interface Surface {
  /** What users import: `chancery/schema`. */
  readonly entry: string;
  readonly exported: readonly Declared[];
  /** Types that the exported declarations are made of, and that have no name for users. */
  readonly reached: readonly Declared[];
}

/** The surface of every entry, in the order of `exports` in package.json. */
export function readSurfaces(): readonly Surface[] {
  const api = new API({ cwd: ROOT });
  try {
    return PACKAGES.flatMap(({ folder, project: config }) => {
      const path = join(ROOT, folder, config);
      const snapshot = api.updateSnapshot({ openProjects: [path] });
      const project = snapshot.getProject(path);
      if (project === undefined) throw new Error(`${folder}: no project`);
      const reader = new Reader(project);
      return entriesOf(folder).map(({ entry, file }) => reader.surface(entry, file));
    });
  } finally {
    api.close();
  }
}

interface Entry {
  readonly entry: string;
  readonly file: string;
}

function entriesOf(folder: string): readonly Entry[] {
  const manifest = readFileSync(join(ROOT, folder, 'package.json'), 'utf8');
  const { name, exports } = JSON.parse(manifest) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string | { readonly 'chancery-source': string }>>;
  };
  return Object.entries(exports).flatMap(([path, target]) => {
    const entry = `${name}${path.slice(1)}`;
    // Only chancery itself imports what brings a command.
    if (typeof target === 'string' || path === './command') return [];
    return { entry, file: join(ROOT, folder, target['chancery-source']) };
  });
}

class Reader {
  readonly #project: Project;

  constructor(project: Project) {
    this.#project = project;
  }

  surface(entry: string, file: string): Surface {
    const { checker, program } = this.#project;
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${entry}: ${file} is no module of the project`);
    const exports = checker.getExportsOfModule(module).map((each) => {
      return [each.name, this.#resolved(each)] as const;
    });
    const exported = exports.map(([name, symbol]) => this.#declared(name, symbol));
    const known = new Set(exports.map(([, { id }]) => id));
    const reached: Declared[] = [];
    for (const [, symbol] of exports) this.#reach(symbol, known, reached);
    return { entry, exported: sorted(exported), reached: sorted(reached) };
  }

  #resolved(symbol: TsSymbol): TsSymbol {
    const isAlias = (symbol.flags & SymbolFlags.Alias) !== 0;
    return isAlias ? this.#project.checker.getAliasedSymbol(symbol) : symbol;
  }

  #nodes({ declarations }: TsSymbol): readonly Node[] {
    return declarations.flatMap((handle) => handle.resolve(this.#project) ?? []);
  }

  #declared(name: string, symbol: TsSymbol): Declared {
    const nodes = this.#nodes(symbol);
    const [first] = nodes;
    const doc = this.#project.checker.getDocumentationCommentOfSymbol(symbol);
    return {
      name,
      kind: first === undefined ? 'unknown' : kindOf(first),
      text: [...new Set(nodes.map(textOf))].filter((text) => text !== '').join('\n'),
      file: first?.getSourceFile().fileName.replace(ROOT, '') ?? '',
      doc,
      undocumented: nodes.flatMap((node) => this.#undocumented(node)),
    };
  }

  /** Members without a docstring, neither of their own nor of the interface that they implement. */
  #undocumented(node: Node): readonly string[] {
    const { checker } = this.#project;
    const docOf = (symbol: TsSymbol | undefined): string =>
      symbol === undefined ? '' : checker.getDocumentationCommentOfSymbol(symbol);
    const promised = this.#implemented(node).flatMap((each) => [...each.getMembers().values()]);
    const documented = promised.filter((each) => docOf(each) !== '').map(({ name }) => name);
    return membersOf(node).flatMap((member) => {
      const { name } = member as Partial<VariableDeclaration>;
      if (name === undefined || /^(?:override|constructor)\b/.test(member.getText())) return [];
      const isDocumented = documented.includes(name.getText());
      return isDocumented || docOf(checker.getSymbolAtLocation(name)) !== '' ? [] : name.getText();
    });
  }

  /** The interfaces that a class says it implements. */
  #implemented(node: Node): readonly TsSymbol[] {
    const { heritageClauses = [] } = node as Partial<ClassDeclaration>;
    const types = [...heritageClauses].flatMap((clause) => [...clause.types]);
    return types.flatMap(({ expression }) => {
      const symbol = this.#project.checker.getSymbolAtLocation(expression);
      return symbol === undefined ? [] : this.#resolved(symbol);
    });
  }

  /** Adds the types of ours that the declarations of `symbol` name, and those that these name. */
  #reach(symbol: TsSymbol, known: Set<number>, reached: Declared[]): void {
    const names: Node[] = [];
    for (const node of this.#nodes(symbol)) collectTypeNames(node, names);
    for (const found of this.#project.checker.getSymbolAtLocation(names)) {
      const target = found && this.#resolved(found);
      if (target === undefined || known.has(target.id) || !this.#isOurs(target)) continue;
      known.add(target.id);
      reached.push(this.#declared(target.name, target));
      this.#reach(target, known, reached);
    }
  }

  #isOurs(symbol: TsSymbol): boolean {
    const [node] = this.#nodes(symbol);
    const path = node?.getSourceFile().fileName ?? '';
    return path.startsWith(ROOT) && !path.includes('/node_modules/') && isDeclaration(node);
  }
}

function sorted(all: readonly Declared[]): readonly Declared[] {
  const key = ({ file, name }: Declared): string => `${name} ${file}`;
  return all.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** A longer union is written on several lines. */
const MAX_LINE = 120;

const KINDS: Readonly<Partial<Record<SyntaxKind, string>>> = {
  [SyntaxKind.ClassDeclaration]: 'class',
  [SyntaxKind.FunctionDeclaration]: 'function',
  [SyntaxKind.InterfaceDeclaration]: 'interface',
  [SyntaxKind.TypeAliasDeclaration]: 'type',
  [SyntaxKind.VariableDeclaration]: 'const',
};

function kindOf(node: Node): string {
  return KINDS[node.kind] ?? 'namespace';
}

function isDeclaration(node: Node | undefined): boolean {
  return node !== undefined && KINDS[node.kind] !== undefined;
}

/** The declaration as users see it. Of a namespace nothing: its names are those of a file of kinds. */
function textOf(node: Node): string {
  switch (node.kind) {
    case SyntaxKind.ClassDeclaration:
    case SyntaxKind.InterfaceDeclaration: {
      const { members } = node as ClassDeclaration;
      const head = plain(node.getText().slice(0, members.pos - node.getStart()));
      const lines = membersOf(node).map((member) => `  ${signatureOf(member)}`);
      return lines.length === 0 ? `${head}}` : [head, ...lines, '}'].join('\n');
    }
    case SyntaxKind.TypeAliasDeclaration:
      return aliasOf(node as TypeAliasDeclaration);
    case SyntaxKind.FunctionDeclaration:
      return signatureOf(node);
    case SyntaxKind.VariableDeclaration: {
      const { name, type } = node as VariableDeclaration;
      return `export const ${name.getText()}${type === undefined ? '' : `: ${plain(type.getText())}`}`;
    }
    default:
      return '';
  }
}

/** A line for each choice of a long union. */
function aliasOf(node: TypeAliasDeclaration): string {
  const text = signatureOf(node);
  const { type } = node;
  if (type.kind !== SyntaxKind.UnionType || text.length <= MAX_LINE) return text;
  const { types } = type as UnionTypeNode;
  const head = plain(node.getText().slice(0, type.pos - node.getStart()));
  return `${[head, ...types.map((each) => `  | ${plain(each.getText())}`)].join('\n')};`;
}

/** Its text up to the body. */
function signatureOf(node: Node): string {
  const { body, initializer, type } = node as Partial<
    Pick<FunctionDeclaration, 'body'> & Pick<VariableDeclaration, 'initializer' | 'type'>
  >;
  const text = node.getText();
  const start = node.getStart();
  if (body !== undefined) return plain(text.slice(0, body.getStart() - start));
  if (initializer === undefined) return plain(text);
  const isNamed = type !== undefined;
  return isNamed ? plain(text.slice(0, type.end - start)) : plain(text).replace(/;$/, '');
}

/** Members that users see. */
function membersOf(node: Node): readonly Node[] {
  const { members = [] } = node as Partial<ClassDeclaration>;
  return [...members].filter(
    (member) =>
      !/^(?:(?:readonly|static|async|get|set|override) |[*])*(?:private |#|\{)/.test(
        member.getText(),
      ),
  );
}

/** On one line, without comments. */
function plain(text: string): string {
  const uncommented = text.replace(/('(?:[^'\\\n]|\\.)*')|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '$1');
  return uncommented
    .replace(/\s+/g, ' ')
    .replace(/([([<]) /g, '$1')
    .replace(/,? ([)\]])|, (>)/g, '$1$2')
    .replace(/([=<(]) \| /g, '$1 ')
    .replace(/\{ \}/g, '{}')
    .replace(/ >/g, '>')
    .trim();
}

/** The names in places of types, but for those in bodies and private members. */
function collectTypeNames(node: Node, names: Node[]): void {
  if (
    node.kind === SyntaxKind.TypeReference ||
    node.kind === SyntaxKind.ExpressionWithTypeArguments
  ) {
    node.forEachChild((child) => {
      if (child.kind === SyntaxKind.Identifier) names.push(child);
      return undefined;
    });
  }
  const { body, initializer } = node as Partial<
    Pick<FunctionDeclaration, 'body'> & Pick<VariableDeclaration, 'initializer'>
  >;
  const seen = node.kind === SyntaxKind.ClassDeclaration ? new Set(membersOf(node)) : undefined;
  node.forEachChild((child) => {
    if (child === body || child === initializer) return undefined;
    const isMember =
      seen !== undefined && (node as ClassDeclaration).members.includes(child as never);
    if (!isMember || seen.has(child)) collectTypeNames(child, names);
    return undefined;
  });
}
