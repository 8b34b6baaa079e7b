/**
 * The files in manifests/base that follow from the declaration of config-restart. After a change of
 * the declaration, `npx vitest run test/manifests/generated-files.test.ts -u` writes them anew.
 */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import configRestart from '../../examples/config-restart/operator.ts';
import { formatYaml } from '../../operator/core/yaml.ts';
import { POD_NAMESPACE } from '../../operator/generate/access.ts';
import { proxyFilter } from '../../operator/generate/proxy-filter.ts';
import { proxyPatch } from '../../operator/generate/proxy-patch.ts';
import { rbac } from '../../operator/generate/rbac.ts';

const NAME = 'config-restart';
const controllers = [configRestart];
const placement = { namespaces: [POD_NAMESPACE] };

test('manifests/base/rbac.yaml grants what config-restart declares', async () => {
  const serviceAccount = { name: NAME, namespace: NAME };

  const objects = rbac(controllers, { ...placement, name: NAME, serviceAccount });

  await expect(yamlFile(objects)).toMatchFileSnapshot(base('rbac.yaml'));
});

test('manifests/base/proxy-filter.yaml opens what config-restart declares', async () => {
  const filter = proxyFilter(controllers, placement);

  const patch = proxyPatch(filter, { deployment: NAME, container: 'proxy' });

  await expect(yamlFile([patch])).toMatchFileSnapshot(base('proxy-filter.yaml'));
});

function yamlFile(objects: readonly object[]): string {
  const header = '# Generated from the declaration of config-restart. Edit that instead.\n';
  return header + objects.map(formatYaml).join('---\n');
}

function base(file: string): string {
  return fileURLToPath(new URL(`../../manifests/base/${file}`, import.meta.url));
}
