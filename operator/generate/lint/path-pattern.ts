import { POD_NAMESPACE } from '../../access/placement.ts';
import { elementsOf, type ProxyFlags } from './proxy-flags.ts';

/**
 * The syntax of regular expressions that a filter of paths needs, and that RE2 and JavaScript read
 * in the same way: literal characters, classes, groups with alternatives, and `?`, `*`, `+`. All
 * other syntax is refused, because it matches more than it seems to match.
 */
type Node =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'class'; readonly sample: string }
  | { readonly type: 'group'; readonly branches: readonly (readonly Node[])[] }
  | { readonly type: 'optional'; readonly node: Node };

/**
 * A valid element of `--accept-paths`. It uses only the simple syntax above, so a reader can see
 * which paths it matches.
 */
export interface PathPattern {
  readonly source: string;
  /** Matches the same paths as the pattern does in kubectl. */
  readonly expression: RegExp;
  /** Paths that the pattern accepts: every alternative, with and without each optional part. */
  readonly samples: readonly string[];
}

/**
 * Maximum number of samples. More samples would add no information, because a generated pattern has
 * at most a dozen.
 */
const MAX_SAMPLES = 200;

/**
 * Parses one element. Returns a string with the problem and its reason if the element is refused.
 */
function pathPattern(source: string): PathPattern | string {
  if (source === '')
    return 'is empty: an empty expression matches every path, so everything is open';
  if (/[{}]/.test(source)) return 'has a brace: kubectl splits the list at the comma of {m,n}';
  if (!source.startsWith('^/') || !source.endsWith('$')) {
    return 'does not begin with ^/ and end with $: kubectl looks for it anywhere in a path';
  }
  const reader = new Reader(source.slice(1, -1));
  const branches = reader.branches();
  if (reader.problem !== undefined) return reader.problem;
  if (reader.rest !== '') return `has a ")" too many before "${reader.rest}"`;
  if (branches.length > 1)
    return 'has a "|" outside of parentheses: only one side of it is anchored';
  const samples = samplesOf(branches[0] ?? []).slice(0, MAX_SAMPLES);
  const expression = new RegExp(source);
  const dots = samples.find((sample) => dotted(sample).some((path) => expression.test(path)));
  if (dots !== undefined) return `matches a segment of dots in place of one in ${dots}`;
  return { source, expression, samples };
}

/** Variants of a path, each with `.` or `..` in place of one segment. */
function dotted(path: string): readonly string[] {
  const segments = path.split('/');
  return segments.flatMap((segment, at) =>
    segment === '' ? [] : ['.', '..'].map((dots) => segments.with(at, dots).join('/')),
  );
}

class Reader {
  problem: string | undefined;
  rest: string;

  constructor(text: string) {
    this.rest = text;
  }

  /** Parses alternatives up to the end, or to the closing parenthesis. */
  branches(): readonly (readonly Node[])[] {
    const branches: Node[][] = [[]];
    while (this.problem === undefined && this.rest !== '' && !this.rest.startsWith(')')) {
      if (this.#take(/^\|/) !== undefined) branches.push([]);
      else branches.at(-1)?.push(this.#repeated(this.#atom()));
    }
    return branches;
  }

  #atom(): Node {
    const text = this.#take(/^[A-Za-z0-9/_~:-]/) ?? (this.#take(/^(?:\[[.]\]|\\[.])/) && '.');
    if (text !== undefined) return { type: 'text', text };
    const set = this.#take(/^\[(?:[A-Za-z0-9]-[A-Za-z0-9]|[-A-Za-z0-9:_.])+\]/);
    if (set !== undefined) return { type: 'class', sample: sampleOf(set) };
    if (this.#take(/^\((?:\?:)?(?!\?)/) === undefined) return this.#refuse();
    const branches = this.branches();
    if (this.problem === undefined && this.#take(/^\)/) === undefined) {
      this.problem = 'has a "(" that is never closed';
    }
    return { type: 'group', branches };
  }

  #repeated(node: Node): Node {
    const mark = this.#take(/^[?*+]/);
    return mark === '?' || mark === '*' ? { type: 'optional', node } : node;
  }

  #take(expected: RegExp): string | undefined {
    const [found] = expected.exec(this.rest) ?? [];
    if (found !== undefined) this.rest = this.rest.slice(found.length);
    return found;
  }

  #refuse(): Node {
    const { rest } = this;
    this.problem =
      (SAYS.find(([start]) => start.test(rest)) ?? [])[1] ?? `cannot be read at "${rest}"`;
    return { type: 'text', text: '' };
  }
}

/** Refused syntax: a pattern for its first characters, and the reason. */
const SAYS: readonly (readonly [start: RegExp, says: string])[] = [
  [/^\.[*+]/, 'has .* or .+: that matches slashes, dots and every other resource'],
  [/^\./, 'has a bare dot: it matches any character, where [.] matches a dot'],
  [/^\[\^/, 'has a negated class: [^/]+ matches ".." and "%"'],
  [/^\(\?/, 'has a (?…) group: RE2 has no look-around, and flags change what is matched'],
  [/^\\/, 'has a backslash: classes such as \\S match more than names, and RE2 has no \\1'],
  [/^\$/, 'has a "$" inside: it can match nothing after it'],
  [/^\^/, 'has a "^" inside: it can match nothing before it'],
  [/^\[/, 'has a class with more than the characters of names'],
  [/^[?*+]/, 'repeats a repetition, or nothing'],
];

/** A character that the class matches, preferably `x`. */
function sampleOf(set: string): string {
  const matches = new RegExp(`^${set}$`);
  return [...'x0X-._:'].find((character) => matches.test(character)) ?? set.charAt(1);
}

function samplesOf(nodes: readonly Node[]): readonly string[] {
  return nodes.reduce<readonly string[]>(
    (heads, node) => {
      const tails = samplesOfNode(node);
      return heads.flatMap((head) => tails.map((tail) => head + tail)).slice(0, MAX_SAMPLES);
    },
    [''],
  );
}

function samplesOfNode(node: Node): readonly string[] {
  switch (node.type) {
    case 'text':
      return [node.text];
    case 'class':
      return [node.sample];
    case 'group':
      return node.branches.flatMap(samplesOf);
    case 'optional':
      return [...new Set(['', ...samplesOfNode(node.node)])];
  }
}

/** Used as the namespace of the Pod when the manifests do not set it. */
const UNNAMED = 'the-namespace-of-the-pod';

/** The namespace of the Pod, and of objects without a namespace. */
export function homeOf({ namespace }: { readonly namespace: string | undefined }): string {
  return namespace ?? UNNAMED;
}

/** An element of `--accept-paths` with its pattern, or with its problem. */
export interface AcceptedPath {
  readonly element: string;
  readonly pattern: PathPattern | string;
}

/** Parses all elements. `home` is the namespace of the Pod. */
export function acceptedPaths({ values }: ProxyFlags, home: string): readonly AcceptedPath[] {
  return elementsOf(values.get('accept-paths')?.value ?? '').map((element) => ({
    element,
    pattern: pathPattern(element.replaceAll(POD_NAMESPACE, home)),
  }));
}

/** The patterns of all elements that have no problem. */
export function readable(accepted: readonly AcceptedPath[]): readonly PathPattern[] {
  return accepted.map(({ pattern }) => pattern).filter((pattern) => typeof pattern !== 'string');
}
