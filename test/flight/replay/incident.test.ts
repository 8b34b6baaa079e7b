import { replayIncident } from '@chancery/testing';
import { expect, it } from 'vitest';
import type { RecordLine } from '../../../operator/flight/record-line.ts';
import { incidentOf } from '../../../operator/flight/replay/incident.ts';
import { copyIncident, copying } from './copy-incident.ts';
import { configMap, MadeRecord } from './made-record.ts';

const LIST = 2;
const COLLECTION = '/api/v1/configmaps';
const JSON_TYPE = { 'content-type': 'application/json' };

/** The answer to a list, in two chunks. */
function listed(names: readonly string[]): readonly RecordLine[] {
  const items = names.map((name) => {
    const { metadata, data } = configMap(name, '9', { a: '1' }) as {
      metadata: object;
      data?: object;
    };
    return { metadata: { ...metadata, managedFields: [{ manager: 'somebody' }] }, data };
  });
  const form = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion: '10' } };
  const text = JSON.stringify({ ...form, items });
  return [
    { kind: 'request', at: 1_001, id: LIST, method: 'GET', purpose: 'call', path: COLLECTION },
    { kind: 'answer', at: 1_002, id: LIST, status: 200, headers: JSON_TYPE },
    { kind: 'chunk', at: 1_003, id: LIST, text: text.slice(0, 50) },
    { kind: 'chunk', at: 1_004, id: LIST, text: text.slice(50) },
    { kind: 'ended', at: 1_004, id: LIST },
  ];
}

/** What `copyIncident` has, of a process that has begun with the record: its first list is in it. */
function fromTheStart(names: readonly string[]): MadeRecord {
  const begun = new MadeRecord();
  const others = copyIncident().lines.filter(
    (line) => !['state', 'clock', 'cached'].includes(line.kind) && !('carried' in line),
  );
  const [state, clock] = begun.lines;
  begun.lines.length = 0;
  if (state?.kind !== 'state' || clock === undefined) throw new Error('it has no state');
  const watch = `${COLLECTION}?watch=1&resourceVersion=10`;
  begun.add(state, clock, ...listed(names));
  return begun.add(
    { kind: 'request', at: 1_010, id: 1, method: 'GET', purpose: 'watch', path: watch },
    { kind: 'answer', at: 1_011, id: 1, status: 200, headers: JSON_TYPE },
    ...others,
  );
}

it('an incident contains the first list of the process, and everything about its key', async () => {
  const names = ['web', ...Array.from({ length: 30 }, (_, index) => `other-${index}`)];
  const incident = incidentOf(fromTheStart(names).record(310_000), 'demo/web', 310_000);

  const lines = incident.lines.filter((line) => 'id' in line && line.id === LIST);
  const [, , chunk] = lines;
  const end = await replayIncident([incident.header, ...incident.lines], {
    controllers: [copying()],
    key: 'demo/web',
  });

  expect(lines.map(({ kind }) => kind)).toEqual(['request', 'answer', 'chunk', 'ended']);
  const { items } = JSON.parse(chunk?.kind === 'chunk' ? chunk.text : '');
  const { metadata, data } = configMap('web', '9', { a: '1' }) as unknown as Record<string, object>;
  expect(items).toEqual([{ metadata, data }]);
  expect(end).toMatchObject({ outcome: 'success', writes: [{}, {}].map(() => expect.any(String)) });
});

it('an incident contains the bookmark that marks the end of the initial objects of a watch', () => {
  const bookmark = {
    type: 'BOOKMARK',
    object: {
      ...{ apiVersion: 'v1', kind: 'ConfigMap' },
      metadata: { resourceVersion: '10', annotations: { 'k8s.io/initial-events-end': 'true' } },
    },
  };
  const other = {
    ...bookmark,
    object: { ...bookmark.object, metadata: { resourceVersion: '11' } },
  };
  const made = new MadeRecord();
  made.add({ kind: 'chunk', at: 1_500, id: 1, text: `${JSON.stringify(bookmark)}\n` });
  made.add({ kind: 'chunk', at: 1_600, id: 1, text: `${JSON.stringify(other)}\n` });

  const { lines } = incidentOf(made.record(), 'demo/web', 60_000);

  const texts = lines.flatMap((line) => (line.kind === 'chunk' ? [JSON.parse(line.text)] : []));
  expect(texts).toEqual([bookmark]);
});
