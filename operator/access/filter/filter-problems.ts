import { POD_NAMESPACE } from '../placement.ts';

/**
 * The filter of the ambassador. Each member contains the values for the flag of `kubectl proxy` with the same
 * name. A request passes if no reject pattern matches its decoded path or its method, and an accept pattern
 * matches its path. A pattern without anchors may match any part of a path.
 */
export interface ProxyFilter {
  /**
   * Regular expressions. Each is anchored. None contains a comma or a brace, because kubectl splits the flag
   * at every comma, and a count in braces may contain a comma.
   */
  readonly acceptPaths: readonly string[];
  /** Regular expressions. A path that matches one of them is refused. */
  readonly rejectPaths: readonly string[];
  /** Regular expressions. A method that matches one of them is refused. */
  readonly rejectMethods: readonly string[];
}

type FilterFlag = '--accept-paths' | '--reject-paths' | '--reject-methods';

/** A mistake in a filter: an element does not mean what it seems to mean. */
interface FilterProblem {
  readonly flag: FilterFlag;
  /** One element of the flag's list, or '' for the whole list. */
  readonly pattern: string;
  /** The mistake, its effect, and the correction. */
  readonly problem: string;
}

/**
 * The maximum length of an argument in bytes, including its final 0 byte. In Linux this is `MAX_ARG_STRLEN`,
 * which is 32 pages of 4 KiB.
 */
const MAX_ARGUMENT_BYTES = 131_072;

const ALWAYS_REJECTED: readonly string[] = ['CONNECT', 'OPTIONS', 'TRACE'];

/**
 * The mistakes in a filter; empty for a correct filter.
 *
 * `kubectl proxy` splits each list at every comma, matches without anchors, and treats an empty element as a
 * pattern that matches everything. It reports no error for such a mistake.
 */
export function filterProblems(filter: ProxyFilter): readonly FilterProblem[] {
  return [
    ...listProblems('--accept-paths', filter.acceptPaths, acceptProblem),
    ...listProblems('--reject-paths', filter.rejectPaths, rejectProblem),
    ...listProblems('--reject-methods', filter.rejectMethods, methodProblem),
    ...missingRejections(filter),
  ];
}

/** @param ofPattern - returns the problem of a pattern; undefined for a correct pattern. */
function listProblems(
  flag: FilterFlag,
  patterns: readonly string[],
  ofPattern: (pattern: string) => string | undefined,
): readonly FilterProblem[] {
  const found = patterns.flatMap((pattern) => {
    const problem = patternProblem(pattern) ?? ofPattern(pattern);
    return problem === undefined ? [] : [{ flag, pattern, problem }];
  });
  const longest = patterns.join(',').replaceAll(POD_NAMESPACE, 'n'.repeat(63));
  const bytes = Buffer.byteLength(`${flag}=${longest}`);
  if (bytes < MAX_ARGUMENT_BYTES) return found;
  const problem = `${bytes} bytes are too many for one argument of a process (${MAX_ARGUMENT_BYTES}): name fewer namespaces or objects, or take all`;
  return [...found, { flag, pattern: '', problem }];
}

/** Finds mistakes that are possible in each of the three lists. */
function patternProblem(pattern: string): string | undefined {
  if (pattern === '') return 'an empty element finds everything: remove the comma beside it';
  if (pattern.includes(',')) return 'kubectl splits the list at every comma: write none';
  if (/[{}]/.test(pattern)) return 'a brace stands for a count, which has a comma: write none';
  const expanded = pattern.replaceAll(POD_NAMESPACE, 'pod-namespace');
  if (expanded.includes('$(')) return `the kubelet replaces $(…): write ${POD_NAMESPACE}, or none`;
  if (!/^[!-~]+$/.test(expanded)) return 'a space, or a character outside of ASCII: write none';
  if (!isExpression(expanded))
    return 'it is no regular expression that Go and JavaScript read alike';
  return undefined;
}

/**
 * False for syntax that RE2 and JavaScript interpret differently: groups that begin with `?`, empty classes,
 * and `\w`.
 */
function isExpression(pattern: string): boolean {
  if (/\(\?|\[\^?\]|\\[A-Za-z0-9]/.test(pattern)) return false;
  try {
    new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
}

function acceptProblem(pattern: string): string | undefined {
  const expanded = pattern.replaceAll(POD_NAMESPACE, 'pod-namespace');
  if (!expanded.startsWith('^/') || !expanded.endsWith('$') || expanded.endsWith('\\$')) {
    return 'it is found anywhere in a path: begin with ^/ and end with $';
  }
  if (expanded.includes('[^')) {
    return 'a class of what is not there takes dots and percent signs: write what a name consists of';
  }
  const bare = withoutClasses(expanded.slice(1, -1));
  if (bare.includes('.')) return 'a dot stands for any character: write [.]';
  if (/[$^]/.test(bare)) return 'an anchor in the middle of it: write one pattern for each path';
  if (hasBareAlternative(bare))
    return 'the anchors hold for one side of the | alone: put it in ( )';
  return undefined;
}

function rejectProblem(pattern: string): string | undefined {
  return new RegExp(pattern).test('') ? 'it finds every path: nothing can pass' : undefined;
}

function methodProblem(pattern: string): string | undefined {
  if (/^\^(\([A-Z]+(\|[A-Z]+)*\)|[A-Z]+)\$$/.test(pattern)) return undefined;
  return 'it is found anywhere in a method: write ^(DELETE|PUT)$';
}

/** Replaces each escaped character and each class by one character without a special meaning. */
function withoutClasses(pattern: string): string {
  return pattern.replace(/\\.|\[(?:\\.|[^\]])*\]/g, '_');
}

function hasBareAlternative(bare: string): boolean {
  let depth = 0;
  for (const character of bare) {
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (character === '|' && depth === 0) return true;
  }
  return false;
}

function missingRejections({ rejectPaths, rejectMethods }: ProxyFilter): readonly FilterProblem[] {
  const paths = REJECT_PATHS.filter((pattern) => !rejectPaths.includes(pattern)).map((pattern) => ({
    flag: '--reject-paths' as const,
    pattern,
    problem: 'it is not there: tunnels, tokens and path tricks are refused whatever is accepted',
  }));
  const passing = ALWAYS_REJECTED.filter(
    (method) => !rejectMethods.some((pattern) => finds(pattern, method)),
  );
  if (passing.length === 0) return paths;
  const problem = `${passing.join(', ')} would pass, which no operator needs: write ^(${ALWAYS_REJECTED.join('|')})$`;
  return [...paths, { flag: '--reject-methods', pattern: '', problem }];
}

function finds(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern).test(text);
  } catch {
    return false;
  }
}

/**
 * Paths that are always refused: subresources that open tunnels or issue tokens, segments that consist of
 * dots, and characters that are only useful for double decoding.
 */
export const REJECT_PATHS: readonly string[] = [
  '^/api/v1/namespaces/[^/]+/(pods|services)/[^/]+/(exec|attach|portforward|proxy|ephemeralcontainers)(/|$)',
  '^/api/v1/nodes/[^/]+/proxy(/|$)',
  '^/api/v1/namespaces/[^/]+/serviceaccounts/[^/]+/token$',
  '/[.][.]?(/|$)',
  '[%\\\\]',
];
