import { describe, expect, test } from 'vitest';
import { HotLoops } from '../../../operator/controller/children/hot-loops.ts';
import { HotLoopError } from '../../../operator/controller/errors.ts';

const MINUTE_MS = 60_000;

/** An object that is written as it is answered, unless a test says otherwise. */
class Written {
  readonly #loops = new HotLoops();
  object: object = {};
  inputs = 'same';
  nowMs = 0;
  writes = 0;

  answer(stated: object, stored: object = stated): HotLoopError | undefined {
    const next = { stated, observed: this.object, inputs: () => this.inputs, nowMs: this.nowMs };
    try {
      this.#loops.requireProgress('plan', next);
    } catch (error) {
      return error as HotLoopError;
    }
    this.writes += 1;
    this.object = { ...this.object, ...stored };
    this.#loops.wrote('plan', next, this.object);
    return undefined;
  }

  /** An answer that may be what the object shows. */
  see(stated: object): HotLoopError | undefined {
    const next = { stated, observed: this.object, inputs: () => this.inputs, nowMs: this.nowMs };
    try {
      this.#loops.requireSteady('plan', next);
    } catch (error) {
      return error as HotLoopError;
    }
    return undefined;
  }

  recreate(stated: object): HotLoopError | undefined {
    const next = { stated, observed: this.object, inputs: () => this.inputs, nowMs: this.nowMs };
    try {
      this.#loops.requireProgress('plan', next);
    } catch (error) {
      return error as HotLoopError;
    }
    this.#loops.wrote('plan', next, undefined);
    this.object = { ...stated, createdAt: this.writes };
    this.#loops.created('plan', stated, this.object);
    this.writes += 1;
    return undefined;
  }
}

const A = { spec: { size: 1, mode: 'x' } };
const B = { spec: { size: 2, mode: 'x' } };
const C = { spec: { size: 3, mode: 'y' } };

test('[metacontroller 13] two alternating answers are reported as a hot loop after four writes', () => {
  const plan = new Written();

  const ends = [A, B, A, B, A].map((answer) => plan.answer(answer));

  expect(ends.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined]);
  expect(ends[4]).toBeInstanceOf(HotLoopError);
  expect(ends[4]).toMatchObject({ reason: 'HotLoop', paths: ['spec.size'] });
  expect(ends[4]?.message).toContain('spec.size');
  expect(plan.writes).toBe(4);
});

test('[metacontroller M3] an answer that the stored object never matches is a hot loop after two writes', () => {
  const plan = new Written();

  const ends = [A, A, A].map((answer) => plan.answer(answer, { spec: { size: 9 } }));

  expect(ends[2]).toMatchObject({ paths: ['spec.mode', 'spec.size'] });
});

test('three answers in rotation are also a hot loop', () => {
  const plan = new Written();

  const ends = [A, B, C, A, B, C, A].map((answer) => plan.answer(answer));

  expect(ends.findIndex((end) => end !== undefined)).toBe(6);
});

test('a child that is recreated with alternating answers is a hot loop after four writes', () => {
  const plan = new Written();

  const ends = [A, B, A, B, A].map((answer) => plan.recreate(answer));

  expect(ends.findIndex((end) => end !== undefined)).toBe(4);
});

describe('hot loops of answers that are new each time', () => {
  const times = Array.from({ length: 50 }, (_, at) => ({ spec: { mode: 'x', time: at } }));

  test('[metacontroller M3] if every response is new, a hot loop is reported after twenty writes, and stays reported', () => {
    const plan = new Written();

    const end = times.findIndex((answer) => plan.answer(answer) !== undefined);

    expect(plan.writes).toBe(20);
    for (const answer of times.slice(end)) {
      plan.nowMs += 16 * MINUTE_MS;
      expect(plan.see(answer)).toMatchObject({ paths: ['spec.time'] });
    }
  });

  test('during a hot loop, a new response is still written once it has come several times in a row', () => {
    const plan = new Written();

    const ends = times.map((answer) => {
      for (let at = 1; at <= 5; at++) {
        if (plan.see(answer) === undefined && plan.answer(answer) === undefined) return at;
      }
      return undefined;
    });

    expect(ends).not.toContain(undefined);
    expect(ends).toContain(4);
  });

  test.each([
    ['seconds apart', (plan: Written) => (plan.nowMs += 2_001)],
    [
      'each for a different status',
      (plan: Written, at: number) => Object.assign(plan.object, { status: { at } }),
    ],
    [
      'each after a change of another object',
      (plan: Written, at: number) => (plan.inputs = `change ${at}`),
    ],
  ])('answers that are always new are no hot loop if they come %s', (_what, before) => {
    const plan = new Written();

    const ends = times.map((answer, at) => {
      before(plan, at);
      return plan.answer(answer);
    });

    expect(ends.every((end) => end === undefined)).toBe(true);
  });

  test('a response that recurs among new responses is a hot loop, unless its last occurrence is long ago', () => {
    const plan = new Written();
    const answers = (count: number) => times.slice(0, count).flatMap((each) => [each, A]);

    const end = answers(9).findIndex((answer) => plan.answer(answer) !== undefined);

    expect(end).toBe(5); // the third A
  });
});

test('only the last hundred answers for one object are remembered', () => {
  const plan = new Written();
  plan.answer(A);
  plan.answer(A, { spec: { size: 9 } });
  expect(plan.answer(A)).toBeInstanceOf(HotLoopError);

  for (let size = 100; size < 200; size++) {
    plan.nowMs += 2_001;
    plan.answer({ spec: { size, mode: 'x' } });
  }

  expect(plan.answer(A)).toBeUndefined();
});

describe('when the hot loop detection starts over', () => {
  test('the hot loop detection starts over when other writers change the written fields', () => {
    const plan = new Written();

    for (const answer of [A, A, A, A, A]) {
      expect(plan.answer(answer)).toBeUndefined();
      plan.object = { spec: { size: 7, mode: 'x' } };
    }
  });

  test('the hot loop detection starts over when the inputs of the function change', () => {
    const plan = new Written();

    for (const [at, answer] of [A, B, A, B, A, B, A].entries()) {
      plan.inputs = `change ${at}`;
      expect(plan.answer(answer)).toBeUndefined();
    }
  });

  test('the hot loop detection starts over when the writes are ten minutes apart', () => {
    const plan = new Written();

    for (const answer of [A, B, A, B, A, B]) {
      expect(plan.answer(answer)).toBeUndefined();
      plan.nowMs += 10 * MINUTE_MS + 1;
    }
  });

  test('the hot loop detection does not start over when other writers change other fields', () => {
    const plan = new Written();

    const ends = [A, B, A, B, A].map((answer, at) => {
      plan.object = { ...plan.object, status: { at } };
      return plan.answer(answer);
    });

    expect(ends[4]).toBeInstanceOf(HotLoopError);
  });
});

describe('how long a hot loop is reported', () => {
  function found(): Written {
    const plan = new Written();
    for (const answer of [A, B, A, B]) plan.answer(answer);
    expect(plan.answer(A)).toBeInstanceOf(HotLoopError);
    return plan;
  }

  test('a hot loop is still reported while the responses alternate, even for a response that needs no write', () => {
    const plan = found();

    for (const answer of [B, A, B, A, B, A]) {
      plan.nowMs += 16 * MINUTE_MS;
      expect(plan.see(answer)).toMatchObject({ paths: ['spec.size'] });
    }
  });

  test.each([
    ['matches', B],
    ['does not match', A],
  ])('a hot loop ends when a response that the object %s has come four times in a row', (_what, answer) => {
    const plan = found();

    const times = [1, 2, 3, 4, 5].map(() => plan.see(answer));

    const last = answer === A ? 3 : 4; // A was the last answer before
    expect(times.indexOf(undefined)).toBe(last - 1);
    expect(plan.answer(answer)).toBeUndefined();
  });

  test('a hot loop ends with a new answer, or when the inputs of the function change', () => {
    expect(found().see(C)).toBeUndefined();

    const plan = found();
    plan.inputs = 'changed';
    expect(plan.see(A)).toBeUndefined();
    expect(plan.answer(A)).toBeUndefined();
  });
});

test('the hot loop detection remembers only the last ten thousand objects', () => {
  const loops = new HotLoops();
  const next = { stated: A, observed: {}, inputs: () => '', nowMs: 0 };
  const write = (name: string) => loops.wrote(name, { ...next, observed: A }, A);
  write('first');
  write('first');
  expect(() => loops.requireProgress('first', { ...next, observed: A })).toThrow(HotLoopError);

  for (let at = 0; at < 10_000; at++) write(`other ${at}`);

  expect(() => loops.requireProgress('first', { ...next, observed: A })).not.toThrow();
});
