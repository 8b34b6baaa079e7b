/**
 * The model is what kustomize renders, in every combination of the components.
 *
 * @module-tag kubectl
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMPONENT_NAMES } from '../../operator/generate/manifests/component-model.ts';
import { operatorManifests } from '../../operator/generate/manifests/operator-manifests.ts';
import {
  type OperatorModel,
  operatorModel,
} from '../../operator/generate/manifests/operator-model.ts';
import { renderedObjects } from '../../operator/generate/manifests/rendered-objects.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import {
  COMBINATIONS,
  type Combination,
  EXTRAS,
  IMAGES,
  renderCombinations,
  SCOPES,
} from './support/combinations.ts';
import { render } from './support/rendered.ts';
import { options, overlay, SITE, WEBSITE, written } from './support/trees.ts';

test('[packaging 11] the model of every combination of components equals what kustomize renders', {
  timeout: 240_000,
}, async () => {
  const model = operatorModel([SITE], options({ images: IMAGES, namespace: 'demo' }));

  const rendered = await renderCombinations(COMBINATIONS);

  for (const [combination, objects] of rendered) {
    const namespace = objects.find(({ kind }) => kind === 'Namespace')?.metadata.name ?? '';
    const ending = namespace.slice('demo'.length);
    expect({ combination, objects: sorted(objects, ending) }).toEqual({
      combination,
      objects: sorted(expected(model, combination), ''),
    });
  }
});

// An overlay that moves a gate breaks the names in its certificate: these are rendered where they are.
test.each<Combination>(
  SCOPES.flatMap((scope) => [
    [scope, 'native-sidecar'],
    [scope, 'unix-socket', 'network-policy'],
    [scope, ...EXTRAS, 'native-sidecar'],
  ]),
)('with a gate, kustomize renders for the combination %s %s … what its model contains', async (...combination) => {
  const given = options({ images: IMAGES });
  const folder = await written([
    ...operatorManifests(WEBSITE.controllers, given),
    overlay('mine', combination),
  ]);

  const objects = await render(join(folder, 'mine'));

  const model = operatorModel(WEBSITE.controllers, given);
  expect(sorted(objects, '')).toEqual(sorted(expected(model, combination), ''));
});

/** Overlays contain the definitions, and these combinations are not made from overlays. */
function expected(model: OperatorModel, combination: Combination): readonly KubernetesObject[] {
  const [scope] = SCOPES.filter((each) => combination.includes(each));
  if (scope === undefined) throw new Error('a combination without a scope');
  const components = COMPONENT_NAMES.filter((each) => combination.includes(each));
  return renderedObjects({ ...model, definitions: [] }, { scope, components });
}

/** In an order that does not matter to the API server, and without the ending of the names. */
function sorted(objects: readonly KubernetesObject[], ending: string): readonly unknown[] {
  const text = JSON.stringify(objects.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)));
  const parsed: unknown = JSON.parse(ending === '' ? text : text.replaceAll(ending, ''));
  return parsed as readonly unknown[];
}

function keyOf({ kind, metadata }: KubernetesObject): string {
  return `${kind}/${metadata.name}`;
}
