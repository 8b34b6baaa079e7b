import { expect, test } from 'vitest';
import { type Context, LANGUAGES, startHooks } from './support/place.ts';

const CONFIG = `
configVersion: v1
kubernetes:
- name: crops
  kind: ConfigMap
  labelSelector: { matchLabels: { crop: apple } }
`;

const summaryOf = ({ type, watchEvent, binding, object, objects }: Context): string =>
  [
    binding,
    type,
    watchEvent,
    object?.metadata.name,
    objects?.map((each) => each.object?.metadata.name),
  ]
    .flat()
    .filter((part) => part !== undefined)
    .join(' ');

const farm = (name: string, trees: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { crop: 'apple' } },
  data: { trees },
});

test.each(
  LANGUAGES,
)('[hooks 1] a %s hook is told of what is there, and then of each change', async (language) => {
  const place = await startHooks({ language, recorders: { 'crops.sh': CONFIG }, stopped: true });
  await place.env.create({
    ...farm('north', '1'),
    metadata: { ...farm('north', '1').metadata, namespace: place.namespace },
  });
  place.startOperator();
  const hook = place.hook('crops.sh');
  const [first] = await hook.started(1);

  await place.apply(farm('south', '2'));
  await hook.contexts(2);
  await place.apply(farm('south', '3'));
  await hook.contexts(3);
  await place.env.delete('v1', 'ConfigMap', place.namespace, 'south');
  const all = await hook.contexts(4);

  expect(first?.map(summaryOf)).toEqual(['crops Synchronization north']);
  expect(all.map(summaryOf)).toEqual([
    'crops Synchronization north',
    'crops Event Added south',
    'crops Event Modified south',
    'crops Event Deleted south',
  ]);
  expect(all[2]?.object?.data).toEqual({ trees: '3' });
});
