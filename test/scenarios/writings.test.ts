/** However a server writes its JSON, the same is told of it: see `support/writings.ts`. */

import { failure, settleSockets } from '@chancery/testing';
import { expect, test } from 'vitest';
import { objectKey } from '../../operator/model/object.ts';
import { WRITINGS } from '../support/writings.ts';
import { type Scenario, scenario } from './support/scenario.ts';

/** Whether an object is kept as text: nobody had to parse it when it came. */
const isText = (it: Scenario, name: string): boolean =>
  (it.informer.cached(objectKey('demo', name))?.textLength ?? 0) > 0;

test.each(
  WRITINGS,
)('objects of a server that writes JSON %s are listed and watched, and the watch resumes', async (_, writing, parsed) => {
  const it = await scenario({ writing, pageSize: 2 });
  for (const name of ['a', 'b', 'c']) it.collection.put(name, { data: { of: `${name} "\\ä{}` } });
  it.serve();
  void it.run();
  await it.until(() => it.collection.openWatches.length === 1);
  await it.until(() => it.deliveries.told.length === 3);
  const listed = isText(it, 'a');

  it.collection.put('d');
  it.collection.put('a');
  it.collection.remove('b');
  it.collection.put('b');
  await it.until(() => it.deliveries.told.length === 7);
  const watched = isText(it, 'd');
  it.disconnects();
  it.collection.remove('a');
  it.collection.put('e');
  it.collection.expire();
  await it.until(() => it.deliveries.told.length === 9);
  await it.converges();

  expect([listed, watched]).toEqual([!parsed, !parsed]);
  expect(it.deliveries.told).toEqual([
    ...['add a@101', 'add b@102', 'add c@103', 'add d@104', 'update a@105'],
    ...['delete b@106', 'add b@107', 'delete a@105?', 'add e@109'],
  ]);
  expect(it.informer.store.get(objectKey('demo', 'c'))).toMatchObject({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    data: { of: 'c "\\ä{}' },
  });
});

test.each(
  WRITINGS,
)('a refusal from a server that writes JSON %s is parsed as an ApiError', async (_, writing) => {
  const it = await scenario({ writing });
  it.server.on({ watch: false, nth: 1 }, failure({ code: 500, reason: 'InternalError' }));
  it.collection.put('a');
  it.serve();
  void it.run();
  await it.converges();
  await settleSockets();

  expect(it.statuses.find(({ health }) => health === 'failing')?.error).toMatchObject({
    code: 'API_STATUS',
    status: 500,
  });
});
