/** Records that begin while the operator is at work. */
import { configMaps } from 'chancery/kubernetes';
import { describe, expect, it } from 'vitest';
import type { RecordLine } from '../../../operator/flight/record-line.ts';
import { replay } from '../../../operator/flight/replay/replay.ts';
import { copying } from './copy-incident.ts';
import { configMap, MadeRecord, PATH } from './made-record.ts';

const CREATE = {
  method: 'POST',
  path: `${PATH}?fieldManager=copy&fieldValidation=Warn`,
} as const;

function bodyWith(data: object): object {
  const metadata = { name: 'web-copy', namespace: 'demo' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}

/** An attempt at `web` from before the record, whose create is answered 1 s after it begins. */
function carriedRecord(cached: string, sent: string): MadeRecord {
  const by = { controller: 'copy', key: 'demo/web', id: 50 };
  const headers = { 'content-type': 'application/json' };
  const text = JSON.stringify(configMap('web-copy', '11', { a: sent }));
  return new MadeRecord({ objects: [configMap('web', '9', { a: cached })] }).add(
    { kind: 'begin', at: 400, ...by, attempt: 0, waitedMs: 0, carried: true },
    {
      ...{ kind: 'request', at: 401, id: 51, purpose: 'call', by, carried: true, ...CREATE },
      body: JSON.stringify(bodyWith({ a: sent })),
    },
    { kind: 'answer', at: 2_000, id: 51, status: 201, headers },
    { kind: 'chunk', at: 2_000, id: 51, text },
    { kind: 'ended', at: 2_000, id: 51 },
    { kind: 'outcome', at: 2_000, ...by, result: 'success' },
  );
}

const PATCHED = {
  ...{ method: 'PATCH', path: `${PATH}/web-copy?fieldManager=copy&fieldValidation=Warn` },
  ...{ status: 200, body: { data: { a: '3' } }, answer: configMap('web-copy', '14', { a: '3' }) },
};

describe('a record that begins in the middle of a run', () => {
  it('a replay from the middle of a run has the delayed keys with their recorded times', async () => {
    const record = new MadeRecord({ objects: [configMap('web', '9', { a: '1' })] })
      .add({
        ...{ kind: 'queued', at: 1_000, controller: 'copy', key: 'demo/web', state: 'delayed' },
        ...{ dueInMs: 5_000, failures: 2, priority: 0 },
      })
      .attempt(6_000, 'demo/web', [
        {
          ...{ ...CREATE, body: bodyWith({ a: '1' }) },
          answer: configMap('web-copy', '11', { a: '1' }),
        },
      ])
      .record();

    const found = await replay({ record, controllers: [copying()] });

    expect(found).toMatchObject({ differences: [], attempts: 1, writes: 1 });
  });

  it('a replay from the middle repeats an attempt that began before it, with its earlier requests', async () => {
    const record = carriedRecord('1', '1')
      .event(2_010, 'ADDED', configMap('web-copy', '11', { a: '1' }))
      .event(5_000, 'MODIFIED', configMap('web', '13', { a: '3' }))
      .attempt(5_001, 'demo/web', [PATCHED])
      .record();
    const began: number[] = [];

    const found = await replay({
      record,
      controllers: [copying()],
      begins: ({ recorded }) => began.push(recorded?.begin.at ?? 0),
    });

    expect(found).toMatchObject({ differences: [], attempts: 2, writes: 2, notes: [] });
    expect(began).toEqual([400, 5_001]);
    expect(found.ofKey('demo/web').writes.map(({ body }) => JSON.parse(body ?? '').data)).toEqual([
      { a: '1' },
      { a: '3' },
    ]);
  });

  it('an attempt that began earlier is skipped, with a note, if the caches are newer than what it read', async () => {
    const record = carriedRecord('2', '1')
      .event(2_010, 'ADDED', configMap('web-copy', '11', { a: '1' }))
      .event(5_000, 'MODIFIED', configMap('web', '13', { a: '3' }))
      .attempt(5_001, 'demo/web', [PATCHED])
      .record();

    const found = await replay({ record, controllers: [copying()] });

    expect(found).toMatchObject({ differences: [], attempts: 2, writes: 1 });
    expect(found.notes.join()).toContain('an attempt at demo/web had begun before the record');
  });

  it('an object that an attempt created is hidden from the replay until the replay creates it', async () => {
    const seen: number[] = [];
    const made = carriedRecord('1', '1');
    const created = configMap('web-copy', '11', { a: '1' });
    // It was answered before the record begins, and its cache has what it created.
    const lines = made.lines.map((line): RecordLine => {
      if (line.kind === 'cached') return { ...line, objects: [...line.objects, created] };
      const isAnswer = 'id' in line && line.id === 51 && line.kind !== 'request';
      return isAnswer && line.kind !== 'outcome' ? { ...line, at: 500, carried: true } : line;
    });
    const record = { ...made.record(), lines };
    const watching = copying();
    const controllers = [
      {
        ...watching,
        async reconcile(...given: Parameters<typeof watching.reconcile>) {
          const { clock, store } = given[1];
          const count = (): number => store(configMaps).list().length;
          seen.push(count());
          const result = await watching.reconcile(...given);
          await new Promise<void>((resolve) => clock.schedule(700, resolve));
          seen.push(count());
          return result;
        },
      },
    ];

    const found = await replay({ record, controllers });

    expect(found).toMatchObject({ differences: [], attempts: 1, writes: 1, notes: [] });
    expect(seen).toEqual([1, 2]);
  });

  it('an attempt that began earlier is skipped if its replay makes different requests', async () => {
    const by = { controller: 'copy', key: 'demo/web', id: 50 };
    const record = new MadeRecord({ objects: [configMap('web', '9', { a: '1' })] })
      .add(
        { kind: 'begin', at: 400, ...by, attempt: 0, waitedMs: 0, carried: true },
        {
          ...{ kind: 'request', at: 401, id: 51, purpose: 'call', by, carried: true, ...CREATE },
          body: JSON.stringify(bodyWith({ a: '1' })),
        },
      )
      .record();
    const controllers = [{ ...copying(), reconcile: () => new Promise<void>(() => {}) }];

    const found = await replay({ record, controllers });

    expect(found.differences).toEqual([]);
    expect(found.notes.join()).toContain('it is not compared');
  });

  it('a replay from the middle does not compare changes of managedFields, which depend on earlier writes', async () => {
    const patch = (body: unknown, type: string): object => ({
      ...{ method: 'PATCH', path: `${PATH}/web-copy?fieldManager=copy&fieldValidation=Warn` },
      ...{ status: 200, body, contentType: type, answer: configMap('web-copy', '14', { a: '3' }) },
    });
    const handOver = [
      { op: 'replace', path: '/metadata/resourceVersion', value: '8' },
      { op: 'replace', path: '/metadata/managedFields', value: [{ manager: 'copy' }] },
    ];
    const objects = [configMap('web', '9', { a: '1' }), configMap('web-copy', '8', { a: '1' })];
    const record = new MadeRecord({ objects })
      .event(5_000, 'MODIFIED', configMap('web', '13', { a: '3' }))
      .attempt(5_001, 'demo/web', [
        patch(handOver, 'application/json-patch+json'),
        patch({ data: { a: '3' } }, 'application/merge-patch+json'),
      ] as Parameters<MadeRecord['attempt']>[2])
      .record();

    const found = await replay({ record, controllers: [copying()] });

    expect(found).toMatchObject({ differences: [], attempts: 1, writes: 1 });
  });

  it('an attempt that began earlier is skipped if its requests are not in the record', async () => {
    const made = carriedRecord('1', '1');
    const lines = made.lines.flatMap((line): RecordLine[] => {
      if (line.kind === 'begin') return [{ ...line, incomplete: true }];
      return 'id' in line && line.id === 51 ? [] : [line];
    });
    const record = { ...made.record(), lines };

    const found = await replay({ record, controllers: [copying()] });

    expect(found).toMatchObject({ differences: [], attempts: 0, writes: 0 });
  });
});
