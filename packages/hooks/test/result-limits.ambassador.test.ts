/** One hook leaves a hostile result, and its neighbours go on. */
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { CROPS } from './support/farm.ts';
import { startHooks } from './support/place.ts';

const CONFIG = `configVersion: v1\nkubernetes:${CROPS}`;

test.each([
  ['more YAML than the thread may hold', 'a: 1\n'.repeat(400_000)],
  ['lists without end', '['.repeat(2_000_000)],
  ['more documents than a run may have', '{}\n'.repeat(900_000)],
])('[found 3] a hook that writes %s fails, and a neighbouring hook still writes objects', async (_what, patches) => {
  const rights = "rules: [{apiGroups: [''], resources: [configmaps], verbs: [create]}]";
  const place = await startHooks({
    recorders: {
      'bad.sh': `${CONFIG}\n  queue: bad\n  waitForSynchronization: false`,
      'good.sh': CONFIG,
    },
    files: { 'good.sh.rights.yaml': rights },
    stopped: true,
  });
  const made = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'made', namespace: place.namespace },
  };
  await place.hook('bad.sh').answer({ patches });
  await place
    .hook('good.sh')
    .answer({ patches: [{ operation: 'CreateIfNotExists', object: made }] });
  place.startOperator();

  await place.hook('bad.sh').started(1);
  const found = await eventually(() => place.env.get('v1', 'ConfigMap', place.namespace, 'made'));

  expect(found).toMatchObject({ metadata: { name: 'made' } });
  expect(place.refusals()).toEqual([]);
});
