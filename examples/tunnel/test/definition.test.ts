import { crdYaml } from 'chancery/schema';
import { expect, test } from 'vitest';
import { tunnels } from '../tunnel.ts';

test('the definition that is shipped is the one of the schema', async () => {
  await expect(crdYaml(tunnels)).toMatchFileSnapshot('../crd.yaml');
});

test('it has the columns of the original, of which the one of the client shows something', () => {
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
