/** The text of the file that a hook reads, byte by byte. */
import { expect, test } from 'vitest';
import type { ObjectKey } from '../../../../operator/model/object.ts';
import type { ContextItem } from '../../src/context/context-item.ts';
import { contextText } from '../../src/context/context-text.ts';
import type { KubernetesBinding } from '../../src/hook.ts';
import type { BindingObject } from '../../src/watch/binding-watch.ts';
import { converting } from '../support/crontabs.ts';
import { configOf } from '../support/documents.ts';
import { CONFIG_MAPS } from '../support/reviewing.ts';
import { hook, schedule, watches } from './support/engine-world.ts';

const ships = watches({ name: 'ships', includeSnapshotsFrom: ['ships', 'docks'] });
const docks = watches({ name: 'docks', keepsFullObjects: false });
const tick = schedule({ name: 'tick', includeSnapshotsFrom: ['docks'] });
const fleet = hook('fleet', { kubernetes: [ships, docks], schedules: [tick] });

const ship = (name: string): BindingObject => ({
  key: `sea/${name}` as ObjectKey,
  objectText: `{"kind":"Ship","name":"${name}"}`,
  filterText: '{"crew":12345678901234567890}',
  checksum: name,
});
const dock: BindingObject = {
  key: 'north' as ObjectKey,
  objectText: undefined,
  filterText: 'null',
  checksum: '',
};

const objects = (binding: KubernetesBinding): readonly BindingObject[] =>
  binding === ships ? [ship('a'), ship('b')] : [dock];

const textOf = (items: readonly ContextItem[], read = objects): string =>
  [...contextText(fleet, items, read)].join('');

const A = '{"filterResult":{"crew":12345678901234567890},"object":{"kind":"Ship","name":"a"}}';
const B = '{"filterResult":{"crew":12345678901234567890},"object":{"kind":"Ship","name":"b"}}';
const SNAPSHOTS = `"snapshots":{"docks":[{"filterResult":null}],"ships":[${A},${B}]}`;

test('the fields of each item are sorted by name, on one line that ends with a line break', () => {
  const event = { type: 'Deleted', object: ship('a') } as const;

  const text = textOf([
    { type: 'onStartup' },
    { type: 'Synchronization', binding: ships },
    { type: 'Event', binding: ships, event },
    { type: 'Schedule', binding: tick },
    { type: 'Synchronization', binding: docks },
  ]);

  expect(text).toBe(
    `[{"binding":"onStartup"},` +
      `{"binding":"ships","objects":[${A},${B}],${SNAPSHOTS},"type":"Synchronization"},` +
      `{"binding":"ships",${A.slice(1, -1)},${SNAPSHOTS},"type":"Event","watchEvent":"Deleted"},` +
      `{"binding":"tick","snapshots":{"docks":[{"filterResult":null}]},"type":"Schedule"},` +
      `{"binding":"docks","objects":[{"filterResult":null}],"type":"Synchronization"}]\n`,
  );
});

test('when no object matches, objects and snapshots are empty arrays', () => {
  const text = textOf([{ type: 'Synchronization', binding: ships }], () => []);

  expect(text).toBe(
    '[{"binding":"ships","objects":[],"snapshots":{"docks":[],"ships":[]},"type":"Synchronization"}]\n',
  );
});

test('the context of a binding in a group has its group and the snapshots, and no other fields', () => {
  const grouped = { ...ships, group: 'say "go"', includeSnapshotsFrom: ['docks'] };
  const alone = { ...tick, group: 'alone', includeSnapshotsFrom: [] };
  const event = { type: 'Added', object: ship('a') } as const;

  const text = textOf([
    { type: 'Event', binding: grouped, event },
    { type: 'Schedule', binding: alone },
  ]);

  expect(text).toBe(
    '[{"binding":"ships","groupName":"say \\"go\\"",' +
      '"snapshots":{"docks":[{"filterResult":null}]},"type":"Group"},' +
      '{"binding":"tick","groupName":"alone","type":"Group"}]\n',
  );
});

test('the fields of a review are sorted by name, and the context contains the review even if its binding is in a group', () => {
  const config = JSON.stringify({
    configVersion: 'v1',
    kubernetes: [{ name: 'docks', kind: 'Dock' }],
    kubernetesMutating: [
      { name: 'a.b.c', rules: [CONFIG_MAPS], group: 'yard', includeSnapshotsFrom: ['docks'] },
    ],
    ...converting('v1beta1 v1'),
  });
  const { admission, conversions } = configOf(config);
  const [asked] = admission;
  const [tabs] = conversions;
  if (asked === undefined || tabs === undefined) throw new Error('no bindings');

  const mutating = textOf([{ type: 'Mutating', binding: asked, review: ['{"re', '":1}'] }]);
  const conversion = textOf([
    { type: 'Conversion', binding: tabs, fromVersion: 'v1beta1', toVersion: 'v1', review: ['{}'] },
  ]);

  expect(mutating).toBe(
    '[{"binding":"a.b.c","review":{"re":1},"snapshots":{"docks":[{"filterResult":null}]},"type":"Mutating"}]\n',
  );
  expect(conversion).toBe(
    '[{"binding":"tabs","fromVersion":"v1beta1","review":{},"toVersion":"v1","type":"Conversion"}]\n',
  );
});

test('all items of a run share one snapshot of each binding, which is taken when the run starts', () => {
  const reads: string[] = [];
  const read = (binding: KubernetesBinding): readonly BindingObject[] => {
    reads.push(binding.name);
    return objects(binding);
  };

  const pieces = contextText(
    fleet,
    [
      { type: 'Synchronization', binding: ships },
      { type: 'Schedule', binding: tick },
    ],
    read,
  );

  expect(reads).toEqual(['ships', 'docks']);
  expect([...pieces].join('')).toContain('"tick"');
  expect(reads).toHaveLength(2);
});

test('the context of 5,000 objects of 1 kB each is written in chunks of about 64 KiB', () => {
  const filler = JSON.stringify('x'.repeat(1_000));
  const many = Array.from({ length: 5_000 }, () => ({ ...dock, objectText: filler }));

  const pieces = [...contextText(fleet, [{ type: 'Schedule', binding: tick }], () => many)];

  expect(pieces.length).toBeGreaterThan(70);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(70_000);
});
