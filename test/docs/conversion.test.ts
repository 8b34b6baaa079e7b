/** docs/guides/write/conversion.md: its resource converts as the page shows. */
import { roundTrip } from '@chancery/testing';
import type { CustomResource } from 'chancery/schema';
import { expect, test } from 'vitest';
import { parseYaml } from '../../operator/core/yaml.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { exampleOf, guide } from './guide.ts';

const page = guide('guides/write/conversion.md');

const boatsOfPage = async (): Promise<CustomResource> =>
  (await exampleOf<{ readonly boats: CustomResource }>('guides/write/conversion.md', 'boats.ts'))
    .boats;

test('a converted Boat has the annotation that conversion.md shows, and can be converted back', async () => {
  const boats = await boatsOfPage();
  const [, text = ''] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];
  const shown = parseYaml(text) as KubernetesObject;
  const boat = {
    apiVersion: 'harbour.example/v1',
    kind: 'Boat',
    metadata: { name: 'ann' },
    spec: { meters: 12, material: 'wood' },
  };

  expect(boats.convert?.(boat, 'v1alpha1')).toEqual(shown);
  expect(boats.convert?.(shown, 'v1')).toEqual(boat);
});

test('the test in conversion.md expects the preserved fields that roundTrip returns', async () => {
  const { kept } = roundTrip(await boatsOfPage());

  expect(page).toContain(`expect(roundTrip(boats).kept).toEqual(['${kept.join("', '")}']);`);
});

test('conversion.md shows the error message of a conversion function that throws', async () => {
  const boats = await boatsOfPage();
  const boat = {
    apiVersion: 'harbour.example/v1',
    kind: 'Boat',
    metadata: { name: 'ann', namespace: 'quay' },
  };

  let message = '';
  try {
    boats.convert?.(boat, 'v1alpha1');
  } catch (error) {
    message = (error as Error).message;
  }

  expect(page).toContain(`\`\`\`\n${message}\n\`\`\`\n`);
});
