import { expect, test } from 'vitest';
import { type Commit, judge, type ServerLog, type Writing } from './judge.ts';

const GROUP = 3;

const lease = (atMs: number, holder: string | undefined, group = GROUP): Commit => ({
  kind: 'lease',
  group,
  holder,
  atMs,
});
const change = (atMs: number, text: string, object = 'x'): Commit => ({
  kind: 'change',
  object,
  text,
  atMs,
});
const mirror = (atMs: number, by: string, text: string, object = 'x'): Commit => ({
  kind: 'mirror',
  object,
  text,
  by,
  atMs,
});
const writing = (who: string, fromMs: number, toMs?: number, object = 'x'): Writing => ({
  who,
  object,
  fromMs,
  toMs,
});

function verdictOf(
  commits: readonly Commit[],
  { writings = [], fromMs = 0, toMs = 100 }: Partial<ServerLog> = {},
): ReturnType<typeof judge> {
  const groups = new Map([
    ['x', GROUP],
    ['y', 7],
  ]);
  return judge({ commits, writings, groups, fromMs, toMs });
}

/** `a` has the group, mirrors two changes and gives it back; `b` takes it and mirrors the next. */
const GOOD = {
  commits: [
    change(0, 'one'),
    lease(5, 'a'),
    lease(6, 'b', 7),
    mirror(12, 'a', 'one'),
    change(14, 'two'),
    mirror(22, 'a', 'two'),
    lease(30, undefined),
    change(32, 'three'),
    lease(40, 'b'),
    mirror(52, 'b', 'three'),
    lease(90, 'b'),
    lease(90, 'b', 7),
  ],
  writings: [writing('a', 10, 14), writing('a', 20, 24), writing('b', 50, 54)],
};

test('the log of an orderly handover of a group contains no fault', () => {
  expect(verdictOf(GOOD.commits, GOOD)).toEqual({
    overlaps: [],
    strangers: [],
    stepsBack: [],
    missed: [],
    longestUnownedMs: 84, // of the other group
    longestBehindMs: 20,
  });
});

test('overlapping requests of two replicas for an object are found, whichever began first', () => {
  const held = [lease(0, 'a')];
  const within = [writing('a', 10, 40), writing('b', 20, 30)];

  expect(verdictOf(held, { writings: within }).overlaps).toEqual(['x: a and b']);
  expect(verdictOf(held, { writings: within.toReversed() }).overlaps).toEqual(['x: a and b']);
  const between = [writing('a', 10, 60), writing('a', 20, 21), writing('b', 50, 51)];
  expect(verdictOf(held, { writings: between }).overlaps).toEqual(['x: a and b']);
});

test('requests of one replica, of two objects, or one after the other do not overlap', () => {
  const writings = [
    writing('a', 10, 40),
    writing('a', 20, 30),
    writing('b', 20, 30, 'y'),
    writing('b', 40, 50),
    writing('c', 50),
  ];

  expect(verdictOf([], { writings }).overlaps).toEqual([]);
});

test("a request without a response overlaps with another replica's request only at the moment of its arrival", () => {
  const writings = [writing('a', 10, 40), writing('b', 20), writing('c', 41)];

  expect(verdictOf([], { writings }).overlaps).toEqual(['x: a and b']);
});

test.each([
  ['arrives before its replica holds the Lease', [writing('a', 4, 8)], 'sent'],
  ['arrives after the Lease was released', [writing('a', 31, 33)], 'sent'],
  ['arrives while another replica holds the Lease', [writing('a', 45)], 'sent'],
  ['is answered while another replica holds the Lease', [writing('a', 29, 41)], 'was answered'],
])('a write counts as unauthorized if it %s, even if no other replica writes', (_when, writings, what) => {
  const { strangers } = verdictOf(
    [lease(5, 'a'), lease(30, undefined), lease(40, 'b'), lease(50, 'b')],
    { writings },
  );

  expect(strangers.some((line) => line.includes(` a ${what} `))).toBe(true);
});

test('a write by a replica that does not hold the group is reported, even if the log has no request for it', () => {
  const commits = [change(0, 'one'), lease(1, 'a'), lease(20, 'b'), mirror(21, 'a', 'one')];

  expect(verdictOf(commits).strangers).toEqual([
    'x: a has stored a write at 21 ms, the Lease was of b',
  ]);
});

test('the Lease of another group gives no permission to write', () => {
  const commits = [lease(0, 'b'), lease(0, 'a', 7)];

  expect(verdictOf(commits, { writings: [writing('a', 1)] }).strangers).toHaveLength(1);
  expect(verdictOf(commits, { writings: [writing('a', 1, 2, 'y')] }).strangers).toEqual([]);
});

test('the last change counts as missed if no mirror has it at the end, even if a mirror had it before', () => {
  const seen = [change(0, 'one'), lease(0, 'a'), mirror(1, 'a', 'one')];

  expect(verdictOf(seen).missed).toEqual([]);
  expect(verdictOf([...seen, change(2, 'two')]).missed).toEqual(['x: two is not shown']);
  const back = [...seen, change(2, 'two'), mirror(3, 'a', 'two'), mirror(4, 'a', 'one')];
  expect(verdictOf(back)).toMatchObject({
    missed: ['x: two is not shown'],
    stepsBack: ['x: a has written one again'],
  });
  const unknown = [...seen, mirror(4, 'a', 'what nobody wrote')];
  expect(verdictOf(unknown).stepsBack).toHaveLength(1);
});

test('a change may be missing from a mirror if the mirror has a later change', () => {
  const commits = [change(0, 'one'), change(4, 'two'), mirror(10, 'a', 'two'), change(30, 'three')];

  expect(verdictOf([...commits, mirror(35, 'a', 'three')])).toMatchObject({
    missed: [],
    stepsBack: [],
    longestBehindMs: 10,
  });
});

test('if no mirror has a change yet, the mirrors count as behind until the end of the log', () => {
  expect(verdictOf([change(30, 'one')], { toMs: 95 }).longestBehindMs).toBe(65);
  expect(verdictOf([change(30, 'one')], { fromMs: 50, toMs: 95 }).longestBehindMs).toBe(45);
  const older = [change(10, 'one'), change(20, 'two'), mirror(30, 'a', 'one')];
  expect(verdictOf(older, { toMs: 90 }).longestBehindMs).toBe(70);
});

test('a group counts as unowned from one write of its Lease to the next write with a holder', () => {
  const others = Array.from({ length: 11 }, (_, at) => lease(at * 10, 'c', 7));
  const unowned = (...commits: readonly Commit[]): number =>
    verdictOf([...others, ...commits]).longestUnownedMs;

  expect(unowned(lease(5, 'a'), lease(15, 'a'), lease(60, 'b'), lease(99, 'b'))).toBe(45);
  expect(unowned(lease(5, 'a'), lease(15, undefined), lease(60, 'b'), lease(99, 'b'))).toBe(45);
  // A replica that could not renew for so long has had no right to write at the end of it.
  expect(unowned(lease(5, 'a'), lease(60, 'a'), lease(99, 'a'))).toBe(55);
  expect(unowned(lease(30, 'a'), lease(99, 'a'))).toBe(69);
  expect(unowned(lease(5, 'a'))).toBe(95);
  expect(unowned()).toBe(100);
});
