import { type ProxyFilter, proxyArguments } from './proxy-filter.ts';

/** A Deployment, as far as a strategic merge patch of one container's arguments needs it. */
interface ProxyPatch {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'Deployment';
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [{ readonly name: string; readonly args: readonly string[] }];
      };
    };
  };
}

/**
 * A strategic merge patch, as kustomize takes it, that opens the ambassador in a Deployment: its image
 * refuses every path until it is given these arguments.
 */
export function proxyPatch(
  filter: ProxyFilter,
  { deployment, container }: { readonly deployment: string; readonly container: string },
): ProxyPatch {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: deployment },
    spec: {
      template: { spec: { containers: [{ name: container, args: proxyArguments(filter) }] } },
    },
  };
}
