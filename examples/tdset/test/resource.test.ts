/** The definition takes what the original's does, and says what it is. */

import { crdYaml } from 'chancery/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dnsLabel } from '../children.ts';
import { tdsets } from '../resource.ts';

test('the shipped definition is generated from the schema', async () => {
  await expect(crdYaml(tdsets)).toMatchFileSnapshot('../crd.yaml');
});

test('the definition accepts every spec that the original operator accepts', () => {
  const hour = fc.integer({ min: 0, max: 23 });
  const spec = fc.record(
    {
      container: fc.record({ image: fc.string(), port: fc.integer() }),
      service: fc.record({ port: fc.integer() }),
      schedulingConfig: fc.array(fc.record({ startTime: hour, endTime: hour, replica: fc.nat() })),
      defaultReplica: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
      intervalMint: fc.integer({ min: 1, max: 1440 }),
    },
    { requiredKeys: ['container', 'schedulingConfig', 'defaultReplica'] },
  );
  fc.assert(
    fc.property(spec, (each) => {
      const metadata = { name: 'any', namespace: 'default' };
      const kind = { apiVersion: 'schedule.rs/v1', kind: 'TDSet' };

      expect(tdsets.validate({ ...kind, metadata, spec: each })).toEqual([]);
    }),
  );
});

test('TD2: a window may end at hour 24, and not at hour 25', () => {
  const problemsWith = (endTime: number) =>
    tdsets.validate({
      apiVersion: 'schedule.rs/v1',
      kind: 'TDSet',
      metadata: { name: 'any', namespace: 'default' },
      spec: {
        container: { image: 'nginx', port: 80 },
        schedulingConfig: [{ startTime: 18, endTime, replica: 1 }],
        defaultReplica: 1,
      },
    });

  expect(problemsWith(24)).toEqual([]);
  expect(problemsWith(25)).toMatchObject([{ path: 'spec.schedulingConfig[0].endTime' }]);
});

test('TD10: a container gets the same name as in the original operator if that is valid, and otherwise another valid name', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,100}[a-z0-9])?$/), (name) => {
      expect(dnsLabel(name)).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
      if (/^[-a-z0-9]{1,63}$/.test(name)) expect(dnsLabel(name)).toBe(name);
    }),
  );
  expect(dnsLabel('shop.example')).toBe('shop-example');
  expect(dnsLabel('a'.repeat(80))).toHaveLength(63);
  expect(dnsLabel(`${'a'.repeat(80)}1`)).not.toBe(dnsLabel(`${'a'.repeat(80)}2`));
});
