import { describe, expect, test } from 'vitest';
import { ReadyLine } from '../../operator/queue/ready-line.ts';

const LIMIT_MS = 60_000;

function takeAll(line: ReadyLine<string>, nowMs = 0): string[] {
  const keys: string[] = [];
  for (let next = line.take(nowMs); next !== undefined; next = line.take(nowMs))
    keys.push(next.key);
  return keys;
}

function lineOf(
  keys: readonly (readonly [string, number])[],
  agingLimitMs?: number,
): ReadyLine<string> {
  const line = new ReadyLine<string>(agingLimitMs);
  for (const [key, priority] of keys) line.push(key, priority, 0);
  return line;
}

describe('priority classes', () => {
  test('[Q-20] keys of higher priority classes come first, in order of arrival within a class', () => {
    const line = lineOf([
      ['low 1', -100],
      ['mid 1', 0],
      ['high 1', 7],
      ['low 2', -100],
      ['high 2', 7],
      ['mid 2', 0],
    ]);

    expect(takeAll(line)).toEqual(['high 1', 'high 2', 'mid 1', 'mid 2', 'low 1', 'low 2']);
  });

  test('[Q-21] a key whose priority is raised goes to the end of its new class, and keeps the time it was ready', () => {
    const line = lineOf([
      ['a', -100],
      ['b', -100],
      ['c', 0],
    ]);

    const raised = line.raise('a', 0, 500);

    expect(raised).toBe(true);
    expect(line.take(500)?.key).toBe('c');
    expect(line.take(500)).toEqual({ key: 'a', priority: 0, readyAtMs: 0 });
    expect(takeAll(line)).toEqual(['b']);
  });

  test.each([
    ['already of the same class', 'a', 0],
    ['already of a higher class', 'a', -1],
    ['not in the queue', 'b', 9],
  ])('[Q-21] raise() does nothing for a key that is %s', (_case, key, priority) => {
    const line = lineOf([
      ['a', 0],
      ['z', 0],
    ]);

    expect(line.raise(key, priority, 1)).toBe(false);
    expect(takeAll(line)).toEqual(['a', 'z']);
  });

  test('`ReadyLine` removes empty priority classes, even after keys were raised or aged', () => {
    const line = new ReadyLine<string>(1);
    for (let priority = 0; priority < 200; priority++) line.push(`${priority}`, priority, 0);
    for (let priority = 0; priority < 100; priority++) line.raise(`${priority}`, 500, 0);

    while (line.size > 0) line.take(10);

    expect(line.classCount).toBe(0);
  });

  test('a class that empties and fills repeatedly needs no more memory than a single class', () => {
    const line = lineOf([['top', 1_000]]);

    for (let round = 0; round < 1_000; round++) {
      line.push('a', 0, 0);
      line.raise('a', 1_000, 0);
      line.take(0);
    }

    expect(line.classCount).toBe(2);
  });

  test('a hundred thousand priority classes are handled in time', () => {
    const line = new ReadyLine<string>();
    const before = process.cpuUsage();
    for (let index = 0; index < 100_000; index++)
      line.push(`${index}`, (index * 7919) % 100_000, 0);

    const keys = takeAll(line);

    expect(keys).toHaveLength(100_000);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(3_000);
  });
});

describe('ageing', () => {
  test('[Q-22] a key that has waited for the ageing limit is next, whatever its class', () => {
    const line = lineOf([['low', -100]]);
    line.push('high', 0, LIMIT_MS - 1);
    line.push('higher', 7, LIMIT_MS - 1);
    const early = line.take(LIMIT_MS - 1)?.key;

    const late = line.take(LIMIT_MS)?.key;

    expect([early, late]).toEqual(['higher', 'low']);
  });

  test('[Q-22] at most every fourth take returns an aged key, and aged keys are taken in the order of their arrival', () => {
    const line = new ReadyLine<string>();
    line.push('oldest', -100, 0);
    line.push('older', -50, 1);
    line.push('old', -100, 2);
    for (let index = 0; index < 8; index++) line.push(`${index}`, 0, LIMIT_MS);

    const order = takeAll(line, LIMIT_MS + 2);

    expect(order.slice(0, 9)).toEqual(['oldest', '0', '1', '2', 'older', '3', '4', '5', 'old']);
  });

  test('[Q-22] aged keys of a high class do not use up the turns of aged keys of lower classes', () => {
    const line = new ReadyLine<string>();
    for (let index = 0; index < 100; index++) line.push(`high ${index}`, 0, 0);
    for (let index = 0; index < 10; index++) line.push(`low ${index}`, -100, 1);

    const order: string[] = [];
    for (let take = 0; take < 40; take++) order.push(line.take(2 * LIMIT_MS)?.key ?? '');

    expect(order.filter((key) => key.startsWith('low'))).toHaveLength(10);
  });

  test('[Q-22] under a constant stream of urgent keys, each low key waits for the ageing limit, and then for its turn', () => {
    const line = new ReadyLine<string>();
    const low = Array.from({ length: 20 }, (_, index) => `low ${index}`);
    for (const key of low) line.push(key, -100, 0);
    const takenAtMs = new Map<string, number>();
    let takes = 0;

    for (let nowMs = 0; takenAtMs.size < low.length; nowMs += 100) {
      line.push(`high ${nowMs}`, 0, nowMs); // one arrives for each that a worker can do
      line.push(`high ${nowMs} too`, 0, nowMs); // and one more
      const key = line.take(nowMs)?.key ?? '';
      if (nowMs >= LIMIT_MS) takes++;
      if (key.startsWith('low')) takenAtMs.set(key, nowMs);
    }

    expect([...takenAtMs.keys()]).toEqual(low);
    expect(Math.min(...takenAtMs.values())).toBe(LIMIT_MS);
    expect(Math.max(...takenAtMs.values())).toBe(LIMIT_MS + 19 * 4 * 100);
    expect((takes - low.length) / takes).toBeGreaterThan(0.7);
  });

  test('[Q-22] if the priority of a key is raised, its age counts from then on', () => {
    const line = lineOf([['a', -100]]);
    line.raise('a', -50, LIMIT_MS - 1);
    line.push('high 1', 0, LIMIT_MS);
    line.push('high 2', 0, LIMIT_MS);

    const early = line.take(LIMIT_MS + 1)?.key;
    const late = line.take(2 * LIMIT_MS - 1)?.key;

    expect([early, late]).toEqual(['high 1', 'a']);
  });

  test('[Q-22] with an infinite ageing limit, no key ages', () => {
    const line = lineOf([['low', -100]], Number.POSITIVE_INFINITY);
    line.push('high', 0, 0);

    expect(line.take(1e12)?.key).toBe('high');
  });
});
