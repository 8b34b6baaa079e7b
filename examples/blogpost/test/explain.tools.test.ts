/**
 * @module-tag kubectl
 */
import { expect, test } from 'vitest';
import { startExample } from '../../testing/place.ts';
import blogpost from '../operator.ts';

const CRD = new URL('../crd.yaml', import.meta.url);

test('acceptance 5: `kubectl explain` prints the fields of a BlogPost', async () => {
  const place = await startExample({ name: 'blogpost', controllers: [blogpost], manifests: [CRD] });

  const explained = await place.kubectl('explain', 'blogpost.spec');

  expect(explained).toContain('What its author says.');
  expect(explained).toMatch(/author\s+<string>\s+Who has written it\./);
  expect(explained).toMatch(/title\s+<string>\s+The heading\./);
});
