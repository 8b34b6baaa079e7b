/** Every sensible way to combine the components: a scope first, native-sidecar last. */
import { join } from 'node:path';
import type { Declared } from '../../../operator/controller/access-declaration.ts';
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

/** What the combinations are rendered with unless a test says otherwise. */
interface Rendering {
  readonly controllers?: readonly Declared[];
  readonly kubectl?: string;
}

/**
 * Each combination as kustomize renders it. One call renders all: an overlay of each moves it to a
 * namespace of its own and gives its names an ending, as people's overlays do.
 */
export async function renderCombinations(
  combinations: readonly Combination[],
  { controllers = [SITE], kubectl }: Rendering = {},
): Promise<ReadonlyMap<Combination, readonly KubernetesObject[]>> {
  const endings = combinations.map((_, at) => `-c${at}`);
  const digest = `@sha256:${'0'.repeat(64)}`;
  const images = { ambassador: `chancery-proxy${digest}`, operator: `operator${digest}` };
  const folder = await written([
    ...operatorManifests(controllers, options({ images })),
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
