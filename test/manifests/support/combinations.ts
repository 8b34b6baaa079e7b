/** Every sensible way to combine the components: a scope first, native-sidecar last. */
import { join } from 'node:path';
import { operatorManifests } from '../../../operator/generate/manifests/operator-manifests.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { render } from './rendered.ts';
import { options, overlay, SITE, written } from './trees.ts';

export const SCOPES = ['namespaced', 'cluster-scoped'] as const;

/** Those that can be listed in any order, between the scope and native-sidecar. */
export const EXTRAS = [
  'debug',
  'high-availability',
  'network-policy',
  'prometheus',
  'unix-socket',
] as const;

const DIGEST = `@sha256:${'0'.repeat(64)}`;
/** By digests, which lint finds nothing against. */
export const IMAGES = { ambassador: `chancery-proxy${DIGEST}`, operator: `operator${DIGEST}` };

export type Combination = readonly string[];

export const COMBINATIONS: readonly Combination[] = SCOPES.flatMap((scope) =>
  subsets(EXTRAS).flatMap((extras) => [
    [scope, ...extras],
    [scope, ...extras, 'native-sidecar'],
  ]),
);

function subsets(all: readonly string[]): readonly (readonly string[])[] {
  const [first, ...rest] = all;
  if (first === undefined) return [[]];
  return subsets(rest).flatMap((subset) => [subset, [first, ...subset]]);
}

/**
 * Each combination as kustomize renders it. One call renders all: an overlay of each moves it to a
 * namespace of its own and gives its names an ending, as people's overlays do.
 */
export async function renderCombinations(
  combinations: readonly Combination[],
  kubectl?: string,
): Promise<ReadonlyMap<Combination, readonly KubernetesObject[]>> {
  const endings = combinations.map((_, at) => `-c${at}`);
  const folder = await written([
    ...operatorManifests([SITE], options({ images: IMAGES })),
    ...combinations.map((components, at) => {
      const ending = endings[at] ?? '';
      const moved = { namespace: `demo${ending}`, nameSuffix: ending };
      return overlay(`all/c${at}`, components, moved);
    }),
    {
      path: 'all/kustomization.yaml',
      text: JSON.stringify({ resources: combinations.map((_, at) => `c${at}`) }),
    },
  ]);
  const objects = await render(join(folder, 'all'), kubectl);
  return new Map(
    combinations.map((combination, at) => [
      combination,
      objects.filter(({ metadata }) => metadata.name.endsWith(endings[at] ?? '')),
    ]),
  );
}
