/**
 * The model is what kustomize renders, in every combination of the components.
 *
 * @module-tag kubectl
 */
import { expect, test } from 'vitest';
import type { Declared } from '../../operator/controller/access-declaration.ts';
import { COMPONENT_NAMES } from '../../operator/generate/manifests/component-model.ts';
import { operatorModel } from '../../operator/generate/manifests/operator-model.ts';
import { renderedObjects } from '../../operator/generate/manifests/rendered-objects.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import {
  COMBINATIONS,
  type Combination,
  EXTRAS,
  renderCombinations,
  SCOPES,
} from './support/combinations.ts';
import { options, SITE, WEBSITE } from './support/trees.ts';

test(
  '[packaging 11] every combination of components is what kustomize makes of it',
  {
    timeout: 240_000,
  },
  () => expectSame([SITE], COMBINATIONS),
);

test('a gate changes nothing in that', { timeout: 240_000 }, () =>
  expectSame(
    WEBSITE.controllers,
    SCOPES.flatMap((scope) => [
      [scope, 'native-sidecar'],
      [scope, 'unix-socket', 'network-policy'],
      [scope, ...EXTRAS, 'native-sidecar'],
    ]),
  ),
);

/** The model of these controllers is what kustomize renders, in each of the combinations. */
async function expectSame(
  controllers: readonly Declared[],
  combinations: readonly Combination[],
): Promise<void> {
  const digest = `@sha256:${'0'.repeat(64)}`;
  const images = { ambassador: `chancery-proxy${digest}`, operator: `operator${digest}` };

  const model = operatorModel(controllers, options({ images, namespace: 'demo' }));

  const rendered = await renderCombinations(combinations, { controllers });

  for (const [combination, objects] of rendered) {
    const [scope] = SCOPES.filter((each) => combination.includes(each));
    if (scope === undefined) throw new Error('a combination without a scope');
    const components = COMPONENT_NAMES.filter((each) => combination.includes(each));
    const namespace = objects.find(({ kind }) => kind === 'Namespace')?.metadata.name ?? '';
    const ending = namespace.slice('demo'.length);
    // Overlays contain the definitions, and these combinations are not made from overlays.
    const expected = renderedObjects({ ...model, definitions: [] }, { scope, components });

    expect({ combination, objects: sorted(objects, ending) }).toEqual({
      combination,
      objects: sorted(expected, ''),
    });
  }
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
