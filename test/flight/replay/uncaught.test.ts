/** Errors in a replay: those that an attempt ends with, and those that nobody catches. */
import { type Controller, controller, type ReconcileContext } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { describe, expect, it } from 'vitest';
import { replay } from '../../../operator/flight/replay/replay.ts';
import { configMap, MadeRecord, PATH } from './made-record.ts';

function copyDoing(reconcile: (context: ReconcileContext) => Promise<void>): Controller {
  return controller({
    name: 'copy',
    for: configMaps,
    permissions: [{ resource: configMaps, verbs: ['create'] }],
    predicate: ({ metadata }) => !metadata.name.endsWith('copy'),
    reconcile: (_, context) => reconcile(context),
  }) as Controller;
}

/** A change of `web` at 2 s. */
function changed(): MadeRecord {
  return new MadeRecord().event(2_000, 'ADDED', configMap('web', '11', { a: '1' }));
}

const COPY = {
  ...{ apiVersion: 'v1', kind: 'ConfigMap' },
  metadata: { name: 'web-copy', namespace: 'demo' },
} as const;

describe('a failing attempt in a replay', () => {
  it.each([
    ['panic', new TypeError('x is not a function')],
    ['error', new Error('not today')],
  ] as const)('an attempt that failed in the record also fails in the replay: %s', async (result, error) => {
    const { message } = error;
    const record = changed()
      .attempt(2_001, 'demo/web', [], { result, error: { code: 'ERROR', message } })
      .record(2_002);

    const found = await replay({ record, controllers: [copyDoing(() => Promise.reject(error))] });

    expect(found).toMatchObject({ differences: [], attempts: 1 });
    expect(found.ofKey('demo/web').outcome).toBe(result);
  });

  it('if an attempt fails only in the replay, the replay reports a difference', async () => {
    const record = changed().attempt(2_001, 'demo/web', []).record(2_002);
    const controllers = [copyDoing(() => Promise.reject(new Error('not today')))];

    const { differences } = await replay({ record, controllers });

    expect(differences).toMatchObject([{ kind: 'outcome', now: 'it ended with error: not today' }]);
  });
});

describe('replaying an uncaught error', () => {
  const crash = { reason: 'crash', why: 'it broke' } as const;

  const fail = (): never => {
    throw new Error('it broke');
  };

  it.each([
    ['in a promise', async (): Promise<void> => void Promise.reject(new Error('it broke'))],
    ['in a timer', async (): Promise<void> => void setTimeout(fail, 10)],
    ['in the next tick', async (): Promise<void> => process.nextTick(fail)],
  ] as const)('an uncaught error %s ends the replay at the point where it ended the recorded process', async (_, reconcile) => {
    const record = changed().attempt(2_001, 'demo/web', []).header(crash).record(2_030);
    const before = process.listenerCount('unhandledRejection');

    const found = await replay({ record, controllers: [copyDoing(reconcile)] });

    expect(found.differences).toEqual([]);
    expect(found.notes).toEqual(['the replay ends with the crash that was recorded: it broke']);
    expect(process.listenerCount('unhandledRejection')).toBe(before);
  });

  it('a replay that ends with an uncaught error other than the recorded one reports both errors', async () => {
    const record = changed()
      .attempt(2_001, 'demo/web', [])
      .header({ ...crash, why: 'it tore' })
      .record(2_030);
    const reconcile = async () => void Promise.reject(new Error('it broke'));

    const { notes } = await replay({ record, controllers: [copyDoing(reconcile)] });

    expect(notes.join()).toContain('it broke, there with it tore');
  });

  it('a replay fails on an uncaught error at a point where the recorded process did not crash', async () => {
    const record = changed().attempt(2_001, 'demo/web', []).header(crash).record(60_000);
    const reconcile = async () => void Promise.reject(new Error('it broke'));

    await expect(replay({ record, controllers: [copyDoing(reconcile)] })).rejects.toThrow(
      'the replayed code crashes at 2.001 s, and the recorded code did not: it broke',
    );
  });
});

describe('replaying a write that is not awaited', () => {
  /** Its request comes 50 ms after the end of the attempt. */
  function lateRecord(): MadeRecord {
    const made = changed().attempt(2_001, 'demo/web', []);
    const begin = made.lines.find(({ kind }) => kind === 'begin');
    const id = begin?.kind === 'begin' ? begin.id : 0;
    const text = JSON.stringify(configMap('web-copy', '12', {}));
    return made.add(
      {
        ...{ kind: 'request', at: 2_051, id: 200, purpose: 'call', method: 'POST' },
        path: `${PATH}?fieldManager=copy&fieldValidation=Warn`,
        ...{ body: JSON.stringify(COPY), by: { controller: 'copy', key: 'demo/web', id } },
      },
      {
        ...{ kind: 'answer', at: 2_060, id: 200, status: 201 },
        headers: { 'content-type': 'application/json' },
      },
      { kind: 'chunk', at: 2_060, id: 200, text },
      { kind: 'ended', at: 2_060, id: 200 },
    );
  }

  const later =
    (metadata: { readonly name: string; readonly namespace: string }) =>
    async ({ client }: ReconcileContext): Promise<void> =>
      void setTimeout(() => void client.create(configMaps, { ...COPY, metadata }), 50);

  it('a write that is not awaited is sent after the attempt has ended, as in the record', async () => {
    const controllers = [copyDoing(later(COPY.metadata))];

    const found = await replay({ record: lateRecord().record(), controllers });

    expect(found).toMatchObject({ differences: [], attempts: 1, writes: 1 });
  });

  it('if a write that is not awaited differs, the replay reports a difference', async () => {
    const metadata = { name: 'web-2-copy', namespace: 'demo' };
    const controllers = [copyDoing(later(metadata))];

    const { differences } = await replay({ record: lateRecord().record(), controllers });

    expect(differences).toMatchObject([{ at: 2_051, kind: 'write', key: 'demo/web' }]);
  });

  it('if a write that is not awaited is missing, the replay reports a difference', async () => {
    const controllers = [copyDoing(async () => {})];

    const { differences } = await replay({ record: lateRecord().record(), controllers });

    expect(differences).toMatchObject([
      { at: 2_051, kind: 'no-write', recorded: expect.stringContaining('after the attempt') },
    ]);
  });
});
