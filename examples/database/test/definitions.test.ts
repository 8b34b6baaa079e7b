import { crdYaml } from 'chancery/schema';
import { expect, test } from 'vitest';
import { databases } from '../resources/database.ts';
import { sampleDbs } from '../resources/sample-db.ts';

test('the shipped definitions are generated from the schemas', async () => {
  await expect(crdYaml(sampleDbs)).toMatchFileSnapshot('../crds/sampledbs.example.dev.yaml');
  for (const resource of Object.values(databases)) {
    const file = `../crds/${resource.definition.metadata.name}.yaml`;
    await expect(crdYaml(resource)).toMatchFileSnapshot(file);
  }
});
