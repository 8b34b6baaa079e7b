import type { ProxyFilter } from '../../access/filter/proxy-filter.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { componentModel } from './component-model.ts';
import { ambassadorArguments, DEFAULT_PORT, probeCommand } from './deployment-template.ts';
import { isFixedImage } from './manifests-options.ts';
import type { ModelContainer, ModelDeployment } from './model-deployment.ts';
import { baseDeployment } from './operator-model.ts';
import { withComponent } from './rendered-objects.ts';

/** An ambassador for a Pod that another tool creates. */
export interface AmbassadorSidecar {
  /**
   * A native sidecar for `initContainers`, without its filter. If `args` is not added to it, it
   * allows no requests.
   */
  readonly container: ModelContainer;
  /** All arguments of the container. */
  readonly args: readonly string[];
  /** The volume with the ambassador's credentials. The container mounts it. */
  readonly credentials: Volume;
}

type Volume = NonNullable<ModelDeployment['spec']['template']['spec']['volumes']>[number];

/** Options for a Deployment from which only the ambassador is used. So their values do not matter. */
const REST = {
  ...{ name: 'operator', namespace: 'operator', modules: ['operator'], command: 'chancery' },
  ...{ leaderElection: false, installCrds: false, stopSeconds: 25 },
};

/**
 * The same ambassador that generated manifests contain, as a native sidecar, as with the component
 * `native-sidecar`.
 *
 * @param options - `volume`: the name of the volume with its credentials.
 * @throws ConfigurationError `CONFIG` for an image with neither a tag nor a digest.
 */
export function ambassadorSidecar(
  filter: ProxyFilter,
  {
    image,
    port,
    volume,
  }: { readonly image: string; readonly port: number; readonly volume: string },
): AmbassadorSidecar {
  if (!isFixedImage(image)) {
    throw new ConfigurationError('the image of the ambassador must have a tag or a sha256 digest', {
      context: { image },
    });
  }
  const base = baseDeployment({ ...REST, images: { ambassador: image, operator: image } });
  const component = componentModel('native-sidecar', base);
  const { spec } = withComponent(base, 'native-sidecar', component).spec.template;
  const proxy = spec.initContainers?.find(({ name }) => name === 'proxy');
  const credentials = spec.volumes?.find(({ name }) => name === CREDENTIALS);
  if (proxy === undefined || credentials === undefined) throw new Error('there is no ambassador');
  const { args: _filter, ...container } = proxy;
  return {
    container: withProbes({ ...container, volumeMounts: mountsOf(proxy, volume) }, image, port),
    args: [
      ...ambassadorArguments(filter, { images: { ambassador: image, operator: image } }),
      ...(port === DEFAULT_PORT ? [] : [`--port=${port}`]),
    ],
    credentials: { ...credentials, name: volume },
  };
}

const CREDENTIALS = 'credentials';

function mountsOf({ volumeMounts }: ModelContainer, volume: string): readonly object[] {
  return (volumeMounts as readonly { readonly name: string }[]).map((mount) =>
    mount.name === CREDENTIALS ? { ...mount, name: volume } : mount,
  );
}

/** The container with its probes at another port. */
function withProbes(container: ModelContainer, image: string, port: number): ModelContainer {
  const exec = { command: probeCommand(image, port) };
  const probes = (['startupProbe', 'livenessProbe'] as const).map(
    (field) => [field, { ...(container[field] as object), exec }] as const,
  );
  return { ...container, ...Object.fromEntries(probes) };
}
