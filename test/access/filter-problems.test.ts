/** Each rule of a filter, with what breaks it: kubectl itself says nothing about any of these. */
import { expect, test } from 'vitest';
import { filterProblems } from '../../operator/access/filter/filter-problems.ts';
import { type ProxyFilter, proxyFilter } from '../../operator/access/filter/proxy-filter.ts';
import { POD_NAMESPACE } from '../../operator/access/placement.ts';

const SOUND: ProxyFilter = proxyFilter([], { namespaces: ['demo'] });

function problemsWith(change: Partial<ProxyFilter>): readonly (readonly string[])[] {
  return filterProblems({ ...SOUND, ...change }).map(({ flag, problem }) => [flag, problem]);
}

function withPath(pattern: string): readonly (readonly string[])[] {
  return problemsWith({ acceptPaths: ['^/version$', pattern] });
}

test('[security 13] no problem is found in a generated filter, or in a filter that rejects every path', () => {
  expect(filterProblems(SOUND)).toEqual([]);
  expect(problemsWith({ acceptPaths: [] })).toEqual([]);
});

test.each([
  `^/api/v1/namespaces/${POD_NAMESPACE}/pods$`,
  `^/api/v1/namespaces/(${POD_NAMESPACE}|b)/pods(/(a|b[.]c))?$`,
  '^/apis/a[.]example/v1/things(/[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
  '^/apis/a\\.example/v1$',
  '^/a[|$]b$',
])('the accept pattern %s has no problem', (pattern) => {
  expect(withPath(pattern)).toEqual([]);
});

test.each([
  ['', 'an empty element finds everything'],
  ['^/api/v1/(x|y)$,', 'splits the list at every comma'],
  ['^/api/v1/[a-z]{1,5}$', 'splits the list at every comma'],
  ['^/api/v1/[a-z]{5}$', 'a brace stands for a count'],
  ['^/api/v1/x}$', 'a brace stands for a count'],
  ['^/api/v1/namespaces/$(NAMESPACE)/pods$', 'the kubelet replaces $(…)'],
  ['^/api/v1/namespaces/$$(POD_NAMESPACE)/pods$', 'an anchor in the middle'],
  ['^/api/v1/pods $', 'a space, or a character outside of ASCII'],
  ['^/api/v1/pöds$', 'a space, or a character outside of ASCII'],
  ['^/api/v1/pods\n$', 'a space, or a character outside of ASCII'],
  ['^/api/v1/(?!pods)$', 'no regular expression that Go and JavaScript read alike'],
  ['^/api/v1/[]a]$', 'no regular expression that Go and JavaScript read alike'],
  ['^/api/v1/[^]$', 'no regular expression that Go and JavaScript read alike'],
  ['^/api/v1/\\w+$', 'no regular expression that Go and JavaScript read alike'],
  ['^/api/v1/(pods$', 'no regular expression that Go and JavaScript read alike'],
  ['^/api/v1/a**$', 'no regular expression that Go and JavaScript read alike'],
  ['/api/v1/pods$', 'it is found anywhere in a path'],
  ['^api/v1/pods$', 'it is found anywhere in a path'],
  ['^/api/v1/pods', 'it is found anywhere in a path'],
  ['^/api/v1/pods\\$', 'it is found anywhere in a path'],
  ['^/api/v1/[^/]+$', 'a class of what is not there'],
  ['^/api/v1/.*$', 'a dot stands for any character'],
  ['^/apis/a.example/v1$', 'a dot stands for any character'],
  ['^/api/v1/pods$|^/api/v1/secrets$', 'an anchor in the middle'],
  ['^/api/v1/(a$|b)$', 'an anchor in the middle'],
  ['^/api/v1/a|/api/v1/b$', 'one side of the | alone'],
  ['^/api/v1/(a)|(b)$', 'one side of the | alone'],
])('the accept pattern %j has the problem: %s', (pattern, words) => {
  expect(withPath(pattern)).toEqual([['--accept-paths', expect.stringContaining(words)]]);
});

test('a reported problem contains the flag and the faulty pattern', () => {
  const [problem] = filterProblems({ ...SOUND, acceptPaths: ['^/version$', '^/a.b$'] });

  expect(problem).toMatchObject({ flag: '--accept-paths', pattern: '^/a.b$' });
});

test.each([
  [['', ...SOUND.rejectPaths], 'an empty element finds everything'],
  [['^.*', ...SOUND.rejectPaths], 'it finds every path'],
  [['a,b', ...SOUND.rejectPaths], 'splits the list at every comma'],
  [['(', ...SOUND.rejectPaths], 'no regular expression'],
  [SOUND.rejectPaths.slice(1), 'it is not there: tunnels'],
])('the list %j is refused for `--reject-paths`', (rejectPaths, words) => {
  expect(problemsWith({ rejectPaths })).toEqual([
    ['--reject-paths', expect.stringContaining(words)],
  ]);
});

test('a filter without `rejectPaths` has one problem for each pattern that `rejectPaths` should contain', () => {
  const problems = filterProblems({ ...SOUND, rejectPaths: [] });

  expect(problems.map(({ pattern }) => pattern)).toEqual(SOUND.rejectPaths);
});

test.each([
  [['POST', '^(CONNECT|OPTIONS|TRACE)$'], 'it is found anywhere in a method'],
  [['^POST|PUT$', '^(CONNECT|OPTIONS|TRACE)$'], 'it is found anywhere in a method'],
  [['^(POST|)$', '^(CONNECT|OPTIONS|TRACE)$'], 'it is found anywhere in a method'],
  [['', '^(CONNECT|OPTIONS|TRACE)$'], 'an empty element finds everything'],
  [['^(CONNECT|OPTIONS)$'], 'TRACE would pass'],
  [[], 'CONNECT, OPTIONS, TRACE would pass'],
])('the list %j is refused for `--reject-methods`', (rejectMethods, words) => {
  expect(problemsWith({ rejectMethods })).toEqual([
    ['--reject-methods', expect.stringContaining(words)],
  ]);
});

test('a filter may reject each method by a separate pattern', () => {
  expect(problemsWith({ rejectMethods: ['^CONNECT$', '^OPTIONS$', '^TRACE$'] })).toEqual([]);
});

test('patterns are refused if a long Pod namespace could make the argument too long', () => {
  const lines = (count: number): readonly string[] =>
    Array.from(
      { length: count },
      (_, at) => `^/api/v1/namespaces/${POD_NAMESPACE}/a${1_000 + at}$`,
    );
  const longest = '--accept-paths='.length + 1_500 * ('^/api/v1/namespaces//a1000$,'.length + 63);

  expect(longest).toBeGreaterThan(131_072);
  expect(lines(1_500).join(',').length).toBeLessThan(131_072);
  expect(problemsWith({ acceptPaths: lines(1_500) })).toEqual([
    ['--accept-paths', expect.stringContaining('too many for one argument')],
  ]);
  expect(problemsWith({ acceptPaths: lines(1_400) })).toEqual([]);
});

test('an argument of the maximum length in Linux is accepted, and a longer one is not', () => {
  const flag = '--accept-paths='.length;
  const pattern = (bytes: number): string => `^/${'a'.repeat(bytes - flag - 3)}$`;

  expect(problemsWith({ acceptPaths: [pattern(131_071)] })).toEqual([]);
  expect(problemsWith({ acceptPaths: [pattern(131_072)] })).toHaveLength(1);
});
