/** Answers that are stored by their ETag: when they are asked for, when they count, and when they are forgotten. */
import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { StoredAnswers } from '../../src/call/webhook/stored-answers.ts';
import { answering, scriptedHook, webhook } from './support.ts';

const FIRST = '{"children":[],"status":{"n":1}}';
const TAGGED = answering(200, { etag: '"a"' }, FIRST);
const NO_LIMITS = { cacheTimeoutMs: undefined, cacheCleanupMs: undefined };

test.each([
  304, 412,
])('[contract 9] [metacontroller 9] after the status %i, the stored answer is used', async (status) => {
  const { url, received } = await scriptedHook(TAGGED, answering(status, {}, ''));
  const { call } = webhook({ url, etag: NO_LIMITS });

  await call();
  await expect(call()).resolves.toEqual({ text: FIRST });
  await expect(call()).resolves.toEqual({ text: FIRST });

  const tags = received.map(({ headers }) => headers['if-none-match']);
  expect(tags).toEqual([undefined, '"a"', '"a"']);
});

test('[contract 9] [metacontroller 9] without a stored answer the request has no If-None-Match header, and the status 304 is an error', async () => {
  const { url, received } = await scriptedHook(answering(304, {}, ''));
  const { call } = webhook({ url, etag: NO_LIMITS });

  await expect(call()).rejects.toMatchObject({ reason: 'BadStatus' });
  expect(received[0]?.headers).not.toHaveProperty('if-none-match');
});

test('a hook without `etag` gets no If-None-Match header in its requests', async () => {
  const { url, received } = await scriptedHook(TAGGED);
  const { call } = webhook({ url });

  await call();
  await call();

  expect(received[1]?.headers).not.toHaveProperty('if-none-match');
});

test('[contract 10] [metacontroller 9] [metacontroller M5] two revisions of a parent do not share a stored answer', async () => {
  const { url, received } = await scriptedHook(
    TAGGED,
    answering(200, { etag: '"b"' }, '{"children":[{}]}'),
    answering(304, {}, ''),
  );
  const { call } = webhook({ url, etag: NO_LIMITS });
  await call({ subject: 'parent first' });
  await call({ subject: 'parent second' });

  const answers = await Promise.all([
    call({ subject: 'parent second' }),
    call({ subject: 'parent first' }),
  ]);

  expect(answers).toEqual([{ text: '{"children":[{}]}' }, { text: FIRST }]);
  const tags = received.slice(2).map(({ headers }) => headers['if-none-match']);
  expect(tags.toSorted()).toEqual(['"a"', '"b"']);
});

test('a newer answer replaces the stored answer, and an answer without a tag removes it', async () => {
  const { url, received } = await scriptedHook(
    TAGGED,
    answering(200, { etag: '"b"' }, '{"b":1}'),
    answering(200, {}, '{"c":1}'),
    answering(200, {}, '{"d":1}'),
  );
  const { call } = webhook({ url, etag: NO_LIMITS });

  for (let i = 0; i < 4; i++) await call();

  const tags = received.map(({ headers }) => headers['if-none-match']);
  expect(tags).toEqual([undefined, '"a"', '"b"', undefined]);
});

test.each([
  ['[contract 10] a time-out alone', 60_000, undefined, false],
  ['[contract 10] a clean-up alone', undefined, 60_000, true],
  ['both a time-out and a clean-up', 60_000, 10_000, false],
  ['neither a time-out nor a clean-up', undefined, undefined, true],
])('[metacontroller 9] [metacontroller M5] %s: a stored answer is kept as long as the settings allow', async (_, cacheTimeoutMs, cacheCleanupMs, isKept) => {
  const { url, received } = await scriptedHook(TAGGED);
  const { call, clock } = webhook({ url, etag: { cacheTimeoutMs, cacheCleanupMs } });
  await call();
  clock.advance(59_999);
  await call(); // within the time: asked by its tag, and answered anew
  clock.advance(60_000);
  await call();

  const tags = received.map(({ headers }) => headers['if-none-match']);
  expect(tags).toEqual([undefined, '"a"', isKept ? '"a"' : undefined]);
});

test('expired answers are removed even if no request uses them', () => {
  const clock = new FakeClock();
  const stored = new StoredAnswers({ cacheTimeoutMs: 1_000, cacheCleanupMs: 5_000, clock });
  stored.put('old', { etag: '"a"', text: '{}' });
  clock.advance(4_500);
  stored.put('new', { etag: '"a"', text: '{}' });

  stored.get('other');
  expect(stored.size).toBe(2);
  clock.advance(500);
  stored.get('other');

  expect(stored.size).toBe(1);
  expect(stored.get('new')).toMatchObject({ text: '{}' });
});

test('[metacontroller 9] the oldest answers are removed when the number or the size of all answers exceeds its limit', () => {
  const many = new StoredAnswers({ ...NO_LIMITS, clock: new FakeClock() });
  for (let i = 0; i < 10_001; i++) many.put(`p${i}`, { etag: '"a"', text: '{}' });
  const large = new StoredAnswers({ ...NO_LIMITS, clock: new FakeClock() });
  const text = `{${' '.repeat(6_000_000)}}`;
  for (const subject of ['a', 'b', 'a', 'c']) large.put(subject, { etag: '"a"', text });

  expect(many.size).toBe(10_000);
  expect(many.get('p0')).toBeUndefined();
  expect(many.get('p1')).toBeDefined();
  expect(large.size).toBe(2);
  expect(large.get('b')).toBeUndefined();
});

test.each([
  ['a page', '"a"', '<html></html>'],
  ['a body that was cut off', '"a"', '{"children":['],
  ['a tag that no header can contain', '"\u0007"', '{}'],
  ['an endless tag', 'a'.repeat(1_025), '{}'],
  ['more than the store may hold', '"a"', `{${' '.repeat(16 * 1024 * 1024)}}`],
])('an answer with %s is not stored', (_, etag, text) => {
  const stored = new StoredAnswers({ ...NO_LIMITS, clock: new FakeClock() });
  stored.put('p', { etag: '"old"', text: '{}' });

  stored.put('p', { etag, text });

  expect(stored.get('p')).toBeUndefined();
});
