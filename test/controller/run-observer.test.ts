import { expect, test } from 'vitest';
import { allObservers, type RunObserver } from '../../operator/controller/run/run-observer.ts';
import { objectKey } from '../../operator/model/object.ts';

const KEY = objectKey('demo', 'a');
const ATTEMPT = { controller: 'web', key: KEY, reconcileId: 'id', attempt: 0, priority: 0 };

/** Notes what it is told, in order. */
function noting(name: string, notes: string[]): Required<RunObserver> {
  const note =
    (method: keyof RunObserver) =>
    (...told: readonly unknown[]): void =>
      void notes.push(`${name} ${method} ${told.length}`);
  return {
    ...{ woken: note('woken'), held: note('held'), began: note('began') },
    ...{ ended: note('ended'), looped: note('looped'), stuck: note('stuck') },
  };
}

test('allObservers calls each observer in order, and is undefined without observers', () => {
  const notes: string[] = [];
  const both = allObservers([noting('a', notes), undefined, noting('b', notes)]);

  both?.woken?.(KEY, { cause: 'trigger' });
  both?.held?.(KEY, 'storm', 5);
  both?.began(ATTEMPT, 3, new AbortController().signal);
  both?.ended(ATTEMPT, { outcome: 'success', durationMs: 1 });
  both?.looped?.(KEY, 'ConfigMap demo/a');
  both?.stuck?.(ATTEMPT, 1_000);

  const methods = ['woken 2', 'held 3', 'began 4', 'ended 2', 'looped 2', 'stuck 2'];
  expect(notes).toEqual(methods.flatMap((method) => [`a ${method}`, `b ${method}`]));
  expect(allObservers([undefined])).toBeUndefined();
});

test('allObservers skips observers that do not implement the called method', () => {
  const notes: string[] = [];
  const { began, ended } = noting('b', notes);
  const both = allObservers([noting('a', notes), { began, ended }]);

  both?.looped?.(KEY, 'Secret demo/s');
  both?.ended(ATTEMPT, { outcome: 'success', durationMs: 1 });

  expect(notes).toEqual(['a looped 2', 'a ended 2', 'b ended 2']);
});
