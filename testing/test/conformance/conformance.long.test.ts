import { describe, expect, test } from 'vitest';
import { comparable, comparableEvents, comparableHistories } from './comparable.ts';
import { describeDifference, differences } from './difference.ts';
import { judge } from './judgement.ts';
import { isStatus, kindsOf } from './kinds.ts';
import { KNOWN_DIFFERENCES, SECOND_THRESHOLD, THRESHOLD } from './known-differences.ts';
import { Names } from './names.ts';
import { conformance, type ExchangeResult, secondConformance } from './report.ts';
import { CHAPTERS, SECOND_CHAPTERS } from './session.ts';

/** Eight seconds of one core; the suite keeps all of them busy. */
const REPLAY = { timeout: 120_000 };

test(
  '[F-10] the embedded server answers the recorded requests as the real server did',
  REPLAY,
  async () => {
    const results = await conformance();

    const { unexpected, stale, passed, total } = judge(results, KNOWN_DIFFERENCES, THRESHOLD);
    expect({ unexpected, stale }).toEqual({ unexpected: [], stale: [] });
    expect(passed).toBe(true);
    expect(total).toBeGreaterThan(460);
    expect(results.map(({ recording }) => recording)).toEqual(
      CHAPTERS.map(({ recording }) => recording),
    );
  },
);

test(
  'the embedded server matches the second set of recordings no worse than before',
  REPLAY,
  async () => {
    const results = await secondConformance();

    const { enough, total } = judge(results, {}, SECOND_THRESHOLD);
    expect(enough).toBe(true);
    expect(kindsOf(results).filter(isStatus)).toEqual([]);
    // Two of 357 cannot be compared.
    expect(total).toBe(355);
    expect(results.map(({ recording }) => recording)).toEqual(
      SECOND_CHAPTERS.map(({ recording }) => recording),
    );
  },
);

describe('the verdict on a replay', () => {
  const exchange = (id: number, equal: boolean): ExchangeResult => ({
    id,
    request: 'GET /',
    differences: equal ? [] : [{ path: 'status', recorded: 200, own: 500 }],
  });
  const results = [{ recording: 'r', exchanges: [exchange(1, true), exchange(2, false)] }];

  test('an unknown difference makes the replay fail, and is reported', () => {
    expect(judge(results, {}, 50)).toMatchObject({ unexpected: ['r 2'], passed: false });
  });

  test('known differences pass as long as enough exchanges are equal', () => {
    expect(judge(results, { r: { 2: 'why' } }, 50).passed).toBe(true);
    expect(judge(results, { r: { 2: 'why' } }, 51).passed).toBe(false);
  });

  test('a known difference that no longer occurs is reported as stale', () => {
    const known = { r: { 1: 'why', 2: 'why', 3: 'why' }, s: { 1: 'why' } };

    expect(judge(results, known, 50)).toMatchObject({
      stale: ['r 1', 'r 3', 's 1'],
      passed: false,
    });
  });
});

describe('the comparison of recorded answers with answers of the embedded server', () => {
  test('different uids, times, versions and generated names count as equal, and all other values must be equal', () => {
    const answer = (uid: string, time: string, version: string, value: string): string =>
      `{"metadata":{"uid":"${uid}","creationTimestamp":"${time}","resourceVersion":"${version}"},"data":{"k":"${value}"}}`;
    const one = answer('d3d5f4f7-9bf2-4fc8-9040-80d78c13322d', '2026-11-21T06:26:19Z', '7', 'v');
    const two = answer('0a1c0a7b-c719-4d9a-bf77-ca050ebff72a', '2026-11-22T00:00:00Z', '812', 'v');

    expect(comparable(two)).toEqual(comparable(one));
    expect(comparable(two.replace('"v"', '"w"'))).not.toEqual(comparable(one));
    expect(comparable(two.replace('2026-11-22T00:00:00Z', 'x'))).not.toEqual(comparable(one));
  });

  test('a time in microseconds counts as different from a time in seconds', () => {
    expect(comparable('"2026-11-21T06:26:19.000000Z"')).not.toEqual(
      comparable('"2026-11-21T06:26:19Z"'),
    );
  });

  test('the order of events must be equal, except between different objects in a race', () => {
    const event = (type: string, uid: string): string =>
      `{"type":"${type}","object":{"metadata":{"uid":"${uid}","name":"${uid}"}}}\n`;
    const one = event('ADDED', 'a') + event('ADDED', 'b') + event('DELETED', 'a');
    const raced = event('ADDED', 'b') + event('ADDED', 'a') + event('DELETED', 'a');
    const wrong = event('ADDED', 'b') + event('DELETED', 'a') + event('ADDED', 'a');

    expect(comparableEvents(raced)).not.toEqual(comparableEvents(one));
    expect(comparableHistories(raced)).toEqual(comparableHistories(one));
    expect(comparableHistories(wrong)).not.toEqual(comparableHistories(one));
  });

  test('a reported difference contains its path and both values', () => {
    const found = differences({ a: [1, { b: 2 }], c: 3 }, { a: [1, { b: 4 }, 5], c: 3 });

    expect(found.map(describeDifference)).toEqual([
      'a[1].b\n    - 2\n    + 4',
      'a[2]\n    - (nothing)\n    + 5',
    ]);
  });
});

describe('translation of generated names in a replay', () => {
  test('recorded names in later requests are replaced by the names in the embedded server', () => {
    const names = new Names();

    names.learn(
      '{"metadata":{"uid":"theirs","resourceVersion":"5","name":"x-aaaaa","generateName":"x-"}}',
      '{"metadata":{"uid":"ours","resourceVersion":"912","name":"x-bbbbb","generateName":"x-"}}',
    );

    expect(names.translated('/x-aaaaa?resourceVersion=5&uid=theirs&n=5')).toBe(
      '/x-bbbbb?resourceVersion=912&uid=ours&n=5',
    );
  });

  test('a recorded resourceVersion in a JSON patch is replaced', () => {
    const names = new Names();
    names.learn('{"metadata":{"resourceVersion":"5"}}', '{"metadata":{"resourceVersion":"912"}}');
    const operation = (version: string): string =>
      `[{"op":"replace","path":"/metadata/resourceVersion","value":"${version}"}]`;

    expect(names.translated(operation('5'))).toBe(operation('912'));
  });

  test('a resourceVersion between two known versions is replaced by the lower known version', () => {
    const names = new Names();
    const at = (version: number): string => `{"metadata":{"resourceVersion":"${version}"}}`;
    names.learn(at(10), at(1));
    names.learn(at(20), at(2));

    const asked = [9, 10, 15, 20, 21].map((version) => `resourceVersion=${version}`);

    expect(asked.map((query) => names.translated(query))).toEqual(
      [9, 1, 1, 2, 21].map((version) => `resourceVersion=${version}`),
    );
  });

  test('generated names are matched by their objects, and not by their order', () => {
    const names = new Names();
    const pod = (name: string, image: string): object => ({
      metadata: { name, generateName: 'web-' },
      image,
    });
    const list = (...items: object[]): string => JSON.stringify({ items });

    names.learn(
      list(pod('web-bcdfghjk-bbbbb', 'old'), pod('web-zzzzzzzz-ccccc', 'new')),
      list(pod('web-cccccccc-ddddd', 'new'), pod('web-xxxxxxxx-fffff', 'old')),
    );

    expect(names.translated('/web-bcdfghjk-bbbbb')).toBe('/web-xxxxxxxx-fffff');
    expect(names.translated('/web-zzzzzzzz-ccccc')).toBe('/web-cccccccc-ddddd');
  });
});
