import { crdYaml } from 'chancery/schema';
import { expect, test } from 'vitest';
import { tunnels } from '../tunnel.ts';

test('the shipped definition is generated from the schema', async () => {
  await expect(crdYaml(tunnels)).toMatchFileSnapshot('../crd.yaml');
});

test("the definition has the original operator's columns, and the column for the client has a value", () => {
  const [version] = tunnels.definition.spec.versions;

  const columns = version?.additionalPrinterColumns?.map(({ name }) => name);

  expect(columns).toEqual([
    'Service',
    'Client',
    'HostStatus',
    'HostIP',
    'HostID',
    'UpdateServiceIP',
    'Ready',
    'Age',
  ]);
});
