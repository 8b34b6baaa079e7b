/** What patterns of users may cost: states, steps, bytes, and what is told about them. */
import fc from 'fast-check';
import { RE2JS, RE2Set } from 're2js';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import { compilePatterns, MAX_STATE_BYTES } from '../../contract/patterns/automaton.ts';
import { statesOf } from '../../contract/patterns/cost.ts';
import { MAX_LOOKED_AT } from '../../contract/patterns/entries.ts';
import { PatternWork } from '../../contract/patterns/work.ts';
import {
  cachedListBytes,
  MAX_CACHE_BYTES,
  MAX_ENTRY_STATES,
  MAX_LIST_STATES,
  MAX_PROBLEMS,
  namedList,
} from '../../contract/patterns.ts';
import { MAX_WORKLOAD_STEPS, MatchedLists } from '../../contract/workload-lists.ts';

/** Instructions that RE2 makes of a pattern. */
function instructionsOf(pattern: string): number {
  const set = new RE2Set();
  set.add(`^${pattern}$`);
  set.compile();
  return set.prog.numInst();
}

const accepts = (pattern: string): boolean => {
  try {
    return RE2JS.compile(`^${pattern}$`) !== undefined;
  } catch {
    return false;
  }
};

/** Pieces of patterns, those among them that cost much or end early. */
const piece = fc.constantFrom(
  ...['a', 'b', '.', '-', '^', '$', '|', '(', ')', '(?:', '(?P<n>', '(?i)', '(?s)', '(?m)', '(?U)'],
  ...['[a-c]', '[^ab]', '[]a]', '[^]', '[[:alpha:]]', '[[:alpha:]\\pL]', '[', '\\Qa.b)\\E', '\\Q('],
  ...['\\w', '\\W', '\\d', '\\b', '\\B', '\\z', '\\.', '\\x61', '\\x{62}', '\\141', 'é', '{', '}'],
  ...['\\pL', '\\PL', '\\p{Greek}', '[\\pL-]', '(?i)[a-\\x{10ffff}]', '*', '+', '?', '*?', '+?'],
  ...['{0}', '{2}', '{7}', '{13}', '{2}?', '{2,}', '{0,4}', '(?i:k)', '()', '(|a)'],
);
const pieces = fc.array(piece, { maxLength: 12 }).map((each) => each.join(''));
/** The same with brackets that fit, up to three deep. */
const nested = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 3 },
    pieces,
    fc
      .tuple(tie('pattern'), fc.constantFrom('', '*', '?', '{5}', '{9}', '{2,6}'))
      .map(([inner, times]) => `(${inner})${times}`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `${one}|${other}`),
  ),
})).pattern;
const usable = fc
  .oneof(pieces, nested)
  .filter((pattern) => statesOf(pattern) <= MAX_ENTRY_STATES && accepts(pattern));

describe('[found 2] the states of a pattern', () => {
  test('the states of a pattern are an upper bound for the instructions that RE2 makes of it', () => {
    fc.assert(
      fc.property(usable, (pattern) => {
        expect(instructionsOf(pattern)).toBeLessThanOrEqual(4 * statesOf(pattern) + 8);
      }),
    );
  });

  test.each([
    '\\pL*'.repeat(128),
    '\\PN+'.repeat(3),
    '[\\pL]{3}'.repeat(4),
    '[[:alpha:]\\pL]{9}',
    '(?i)[a-\\x{1fff}]'.repeat(3),
    'ж'.repeat(3),
    '[à-ж]{2}[à-я]',
    '{9}(?U){9}(?U){9}', // repeats the ^ before it
    '(?:(?:a{8}){8}){9}',
    '(?P<a>(?i:b{20}){30})',
    '(a|b){200}',
    '\\(){600}', // RE2 refuses it, and has made no automaton before
    '((((x{5}){5}){5}){5})',
    '[[:^alnum:]]{600}',
  ])('the pattern %j has too many states, and is not compiled', (pattern) => {
    const { problems, matches } = namedList(`${pattern},b-.*`);

    expect(problems).toEqual([expect.stringMatching(/ needs \d+ states, more than 512: "/)]);
    expect(matches('b-1')).toBe(true);
  });

  test.each([
    'app-[a-z0-9]{10}-[a-z0-9]{5}',
    '(?i)app-(dev|test|prod)-v\\d+',
    '\\p{Lu}?[[:alnum:]]+',
    '\\Q{999}\\E.*',
    '[{]9}[{]9}',
    '(?:[0-9a-f]{8}-){3}[0-9a-f]{12}',
  ])('the pattern %j is within the limit of states', (pattern) => {
    expect(namedList(pattern).problems).toEqual([]);
  });

  test('the patterns of a list share a limit of states, and patterns within the limit still take effect', () => {
    const patterns = Array.from({ length: 40 }, (_, at) => `team-${at}-[a-z]{90}`);

    const { problems, matches } = namedList(['web-.+', ...patterns, 'plain'].join(','));

    const most = `has patterns that need more than ${MAX_LIST_STATES} states together`;
    expect(problems[0]).toContain(most);
    expect(['web-1', `team-0-${'x'.repeat(90)}`, 'plain'].map((name) => matches(name))).toEqual([
      true,
      true,
      true,
    ]);
    expect(matches(`team-39-${'x'.repeat(90)}`)).toBe(false);
  });
});

describe('[found 2] a list of patterns', () => {
  const names = fc.array(fc.stringMatching(/^[-.a-cA-Z09]{0,9}$/), { minLength: 1, maxLength: 6 });

  test('a list of patterns matches exactly the names that RE2 matches', () => {
    fc.assert(
      fc.property(usable, usable, names, (one, other, asked) => {
        const { automaton } = compilePatterns([one, other]);
        const re2 = [one, other].map((pattern) => RE2JS.compile(`^${pattern}$`));

        for (const name of asked) {
          const expected = re2.some((each) => each.test(name));
          expect(automaton?.matches(name, new PatternWork())).toBe(expected);
        }
      }),
    );
  });

  test('a list of patterns matches the same names after its states were discarded and made again', () => {
    const pattern = '.*[ab].{12}-x';
    const { automaton } = compilePatterns([pattern]);
    const re2 = RE2JS.compile(`^${pattern}$`);
    const text = fc.stringMatching(/^[abc]{100}[ab][abc]{12}-[xy]$/);
    const work = new PatternWork();
    fc.assert(
      fc.property(text, (name) => {
        expect(automaton?.matches(name, work)).toBe(re2.test(name));
      }),
      propertyRuns(3),
    );
    // More than the states that fit into the memory of an automaton were needed.
    expect(work.spent).toBeGreaterThan(MAX_STATE_BYTES / 50);
  });

  test('a list of patterns takes a bounded number of steps for any name', () => {
    const text = fc
      .array(fc.oneof(pieces, nested, fc.constant('.*[ab].{99}')), { maxLength: 300 })
      .map((entries) => entries.join(','));
    const longest = fc.stringMatching(/^[-a-c.]{253}$/);
    fc.assert(
      fc.property(text, longest, (value, name) => {
        const work = new PatternWork();
        namedList(value).matches(name, work);

        expect(work.spent).toBeLessThanOrEqual(254 * (8 * MAX_LIST_STATES + 300));
      }),
    );
  });

  test('for a hostile list of patterns, only a few problems are reported, and each of them is short', () => {
    const hostile = fc.array(fc.oneof(pieces, fc.constant('\\pL*'.repeat(99))), { minLength: 200 });
    fc.assert(
      fc.property(hostile, (entries) => {
        const { problems } = namedList(entries.map((entry, at) => `${entry}${at}`).join(','));

        expect(problems.length).toBeLessThanOrEqual(MAX_PROBLEMS);
        for (const problem of problems) expect(problem.length).toBeLessThan(400);
      }),
    );
  });

  test('a list with very many entries is read only up to a limit, and its problem reports the limit', () => {
    const { problems, names } = namedList(`first,${'x,'.repeat(MAX_LOOKED_AT)}last`);

    expect(names).toEqual(['first', 'x']);
    expect(problems).toEqual([`has more than ${MAX_LOOKED_AT} entries: only the first 256 count`]);
  });
});

test('[found 2] the cache of lists has a limit in bytes, and keeps the most recently used list', () => {
  const recent = 'recent-[a-z]+';
  const first = namedList(recent);
  for (let at = 0; at < 200; at++) {
    const patterns = Array.from({ length: 9 }, (_, each) => `n${at}-${each}.*[a-c]{80}`);
    namedList(patterns.join(','));
    expect(cachedListBytes()).toBeLessThanOrEqual(MAX_CACHE_BYTES);
    expect(namedList(recent)).toBe(first);
  }
  const old = namedList('n0-0.*[a-c]{80}');

  expect(old.matches(`n0-0${'a'.repeat(80)}`)).toBe(true);
});

describe('[found 2] lists in the annotations of one workload', () => {
  /** Every name needs states of its own: none of them can be remembered. */
  const costly = 'exact-name,.*[ab].*[bc].*[ac].{60},(a|b)*[ab].{90}';
  const manyNames = Array.from({ length: 2_000 }, (_, at) =>
    at.toString(2).padStart(250, 'ab').replaceAll('0', 'a').replaceAll('1', 'b'),
  );

  test('matching the lists of one workload takes a limited number of steps; beyond the limit, only plain names take effect', async () => {
    const lists = new MatchedLists();

    const list = await lists.match(costly, [...manyNames, 'exact-name']);

    expect(list.problems).toEqual([
      `has patterns that take more than ${MAX_WORKLOAD_STEPS} steps for the names of the namespace: only the entries that are names count`,
    ]);
    expect([list.matches('exact-name'), list.matches(manyNames[0] ?? '')]).toEqual([true, false]);
    expect(await lists.match('other', ['other'])).toMatchObject({ names: ['other'], problems: [] });
    expect(lists.named('other').matches('other')).toBe(true);
  });

  test('matching the lists of several workloads does not block the event loop', async () => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);

    const workloads = Array.from({ length: 8 }, () => new MatchedLists());
    await Promise.all(workloads.map((lists) => lists.match(costly, manyNames)));
    isDone = true;

    // Each of them takes more than 10 slices before its work is over.
    expect(turns).toBeGreaterThan(8 * 10);
  });

  test('ordinary patterns stay within the limits in a namespace with 20,000 names', async () => {
    const names = Array.from(
      { length: 20_000 },
      (_, at) => `team-${at % 50}-config-${at}-v${at % 7}`,
    );
    const written = Array.from({ length: 30 }, (_, at) => `team-${at}-config-[0-9]+-v[1-3]`);

    const list = await new MatchedLists().match(written.join(','), names);

    expect(list.problems).toEqual([]);
    const expected = names.filter((_, at) => at % 50 < 30 && at % 7 >= 1 && at % 7 <= 3);
    expect(names.filter((name) => list.matches(name))).toEqual(expected);
  });
});
