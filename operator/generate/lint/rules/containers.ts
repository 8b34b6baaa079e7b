import type { Problem, Rule } from '../diagnostic.ts';
import { isAmbassador } from '../installation.ts';

const WHY =
  'every container of the Pod reaches the ambassador, and has every right of the operator';

export const twoContainers: Rule = {
  id: 'two-containers',
  check: ({ containers, proxy, operator, gate, pod }): readonly Problem[] => {
    const at = containers.indexOf(proxy);
    // An init container that ends before the ambassador starts cannot reach it.
    const others = containers.filter(
      (placed, index) =>
        placed !== proxy &&
        placed !== operator &&
        placed !== gate &&
        !(
          placed.isInit &&
          placed.container.restartPolicy !== 'Always' &&
          (!proxy.isInit || index < at)
        ),
    );
    const missing = { path: 'containers', wrong: 'has no operator beside the ambassador' };
    return [
      ...(operator === undefined
        ? [{ ...missing, why: 'nothing would use it', todo: 'add the container of the operator' }]
        : []),
      ...others.map(({ path, container }) => ({
        path,
        wrong: `${isAmbassador(container) ? 'is a second ambassador' : 'is a third container'}`,
        why: WHY,
        todo: 'run it in a Pod of its own',
      })),
      ...(pod.ephemeralContainers ?? []).map(({ name }) => ({
        path: `ephemeralContainers[${name}]`,
        wrong: 'is a third container',
        why: WHY,
        todo: 'leave it out',
      })),
    ];
  },
};

/**
 * Labels and annotations with which a service mesh adds a container to a Pod, each with the values
 * that enable this.
 */
const INJECTORS: readonly (readonly [key: string, on: RegExp])[] = [
  ['sidecar.istio.io/inject', /^true$/],
  ['istio-injection', /^enabled$/],
  ['istio.io/rev', /./],
  ['linkerd.io/inject', /^(?:enabled|ingress)$/],
  ['kuma.io/sidecar-injection', /^(?:true|enabled)$/],
  ['consul.hashicorp.com/connect-inject', /^true$/],
  ['vault.hashicorp.com/agent-inject', /^true$/],
  ['instrumentation.opentelemetry.io/inject-nodejs', /^(?!false$)./],
  ['dapr.io/enabled', /^true$/],
];

export const noInjectedSidecars: Rule = {
  id: 'no-injected-sidecars',
  check: ({ labels, annotations, namespace, objects }) => {
    const home = objects.find(
      ({ kind, metadata }) => kind === 'Namespace' && metadata.name === namespace,
    );
    const places = [
      { path: 'metadata.labels', marks: labels },
      { path: 'metadata.annotations', marks: annotations },
      {
        path: 'metadata.labels',
        marks: home?.metadata.labels ?? {},
        object: `Namespace/${namespace}`,
      },
      {
        path: 'metadata.annotations',
        marks: home?.metadata.annotations ?? {},
        object: `Namespace/${namespace}`,
      },
    ];
    return places.flatMap(({ path, marks, ...where }): readonly Problem[] =>
      INJECTORS.filter(([key, on]) => on.test(String(marks[key] ?? ''))).map(([key]) => ({
        level: 'warning',
        path: `${path}[${key}]`,
        wrong: `is ${JSON.stringify(marks[key])}, so something adds a container to the Pod`,
        why: WHY,
        todo: 'switch the injection off for this Pod',
        ...where,
      })),
    );
  },
};

export const fixedImages: Rule = {
  id: 'fixed-images',
  check: ({ containers }) =>
    containers.flatMap(({ container, path }): readonly Problem[] => {
      const { image = '' } = container;
      if (/@sha256:[0-9a-f]{64}$/.test(image)) return [];
      const tag = /:([^:/@]+)$/.exec(image.split('@', 1)[0] ?? '')?.[1];
      const where = { path: `${path}.image` };
      const todo = 'name the digest, which kustomize sets by `images: [{ name, digest }]`';
      if (tag === undefined || tag === 'latest') {
        const wrong = tag === undefined ? `${image} has no tag` : `${image} is the latest`;
        const why = 'what runs is another program after the next restart';
        return [{ ...where, wrong, why, todo }];
      }
      const why = 'a tag can be moved to another program';
      return [{ ...where, level: 'warning', wrong: `${image} has a tag and no digest`, why, todo }];
    }),
};
