import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { aborted, linkedAbort } from '../../operator/core/abort.ts';

describe('the function linkedAbort', () => {
  test('a linked signal is aborted with its parent, for the same reason', () => {
    const parent = new AbortController();
    const reason = new Error('stop');
    using linked = linkedAbort(parent.signal);

    parent.abort(reason);

    expect(linked.signal.aborted).toBe(true);
    expect(linked.signal.reason).toBe(reason);
  });

  test('a linked signal is already aborted when its parent is', () => {
    const reason = new Error('before');

    using linked = linkedAbort(AbortSignal.abort(reason));

    expect(linked.signal.reason).toBe(reason);
  });

  test('aborting a linked signal does not abort its parent', () => {
    const parent = new AbortController();
    const reason = new Error('mine');
    using linked = linkedAbort(parent.signal);

    linked.abort(reason);

    expect(linked.signal.reason).toBe(reason);
    expect(parent.signal.aborted).toBe(false);
  });

  test('a second abort does not change the reason of a linked signal', () => {
    const parent = new AbortController();
    const reason = new Error('first');
    using linked = linkedAbort(parent.signal);
    linked.abort(reason);

    parent.abort(new Error('second'));

    expect(linked.signal.reason).toBe(reason);
  });

  test('a thousand linked signals leave no listener on the parent', () => {
    const parent = new AbortController();

    for (let made = 0; made < 1_000; made++) {
      using linked = linkedAbort(parent.signal);
      if (made % 2 === 0) linked.abort(new Error('over'));
    }

    expect(getEventListeners(parent.signal, 'abort')).toHaveLength(0);
  });

  test('a disposed linked signal no longer follows its parent', () => {
    const parent = new AbortController();
    const linked = linkedAbort(parent.signal);

    linked[Symbol.dispose]();
    parent.abort(new Error('stop'));

    expect(linked.signal.aborted).toBe(false);
  });
});

describe('the function aborted', () => {
  test('aborted() resolves when the signal aborts', async () => {
    const stop = new AbortController();
    const waiting = aborted(stop.signal);

    stop.abort(new Error('stop'));

    await expect(waiting).resolves.toBeUndefined();
  });

  test('aborted() resolves at once for an aborted signal', async () => {
    await expect(aborted(AbortSignal.abort())).resolves.toBeUndefined();
  });
});
