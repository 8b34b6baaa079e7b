import type { Json } from '../objects/metadata.ts';
import { asObject, each, fill } from './fill.ts';
import { changed, defaultFieldRef, defaultVolume } from './volume.ts';

/** The defaults of every Pod template, from pkg/apis/core/v1/defaults.go of Kubernetes. */
export function defaultPodSpec(spec: Json): Json {
  return fill(spec, {
    volumes: (volumes: unknown) => each(volumes, defaultVolume),
    initContainers: (containers: unknown) => each(containers, defaultContainer),
    containers: (containers: unknown) => each(containers, defaultContainer),
    ephemeralContainers: (containers: unknown) => each(containers, defaultContainer),
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    // Two fields contain the name of the account. The older field is deprecated, and gets the value of the
    // newer field.
    serviceAccountName: (name: unknown) => name ?? spec.serviceAccount,
    serviceAccount: (name: unknown) => spec.serviceAccountName ?? name,
    securityContext: {},
    schedulerName: 'default-scheduler',
  });
}

function defaultContainer(container: Json): Json {
  return fill(container, {
    ports: (ports: unknown) => each(ports, (port) => fill(port, { protocol: 'TCP' })),
    env: (env: unknown) => each(env, defaultVariable),
    resources: {},
    lifecycle: (value: unknown) => defaultLifecycle(asObject(value)),
    livenessProbe: (probe: unknown) => defaultProbe(asObject(probe)),
    readinessProbe: (probe: unknown) => defaultProbe(asObject(probe)),
    startupProbe: (probe: unknown) => defaultProbe(asObject(probe)),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: pullPolicyOf(String(container.image ?? '')),
  });
}

/**
 * The default pull policy of an image. An image with a digest, or with a tag other than `latest`, is not
 * expected to change.
 */
function pullPolicyOf(image: string): string {
  const tag = /:([^/:]+)$/.exec(image)?.[1];
  return tag === undefined || tag === 'latest' ? 'Always' : 'IfNotPresent';
}

function defaultVariable(variable: Json): Json {
  return changed(variable, {
    valueFrom: (source) => fill(source, { fieldRef: defaultFieldRef }),
  });
}

/** The defaults of an HTTP request in a probe or lifecycle hook. */
function defaultHandler(handler: Json): Json {
  return changed(handler, { httpGet: (get) => fill(get, { path: '/', scheme: 'HTTP' }) });
}

function defaultLifecycle(lifecycle: Json | undefined): Json | undefined {
  if (lifecycle === undefined) return undefined;
  return changed(lifecycle, { postStart: defaultHandler, preStop: defaultHandler });
}

const PROBE = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };

/** The defaults of a probe. A time of zero counts as unset. */
function defaultProbe(probe: Json | undefined): Json | undefined {
  if (probe === undefined) return undefined;
  const handled = changed(defaultHandler(probe), { grpc: (call) => fill(call, { service: '' }) });
  const stated = Object.entries(handled).filter(([name, value]) => !(name in PROBE) || value !== 0);
  return fill(Object.fromEntries(stated), PROBE);
}

/** The defaults of a Pod that do not apply to templates. */
export function defaultOwnPodSpec(podSpec: Json): Json {
  const spec = defaultPodSpec(podSpec);
  const own = (container: Json): Json =>
    withRequests(spec.hostNetwork === true ? withHostPorts(container) : container);
  // A negative grace period becomes one second, in a Pod but not in a template.
  const grace = Number(spec.terminationGracePeriodSeconds) < 0;
  return fill(grace ? { ...spec, terminationGracePeriodSeconds: 1 } : spec, {
    enableServiceLinks: true,
    containers: (containers: unknown) => each(containers, own),
    initContainers: (containers: unknown) => each(containers, own),
  });
}

/** If a container has a limit but no request for a resource, its limit becomes the request. */
function withRequests(container: Json): Json {
  return changed(container, {
    resources: (resources) => {
      const limits = asObject(resources.limits);
      if (limits === undefined) return resources;
      return { ...resources, requests: { ...limits, ...asObject(resources.requests) } };
    },
  });
}

/** Makes each container port also a host port, for a Pod on the network of the host. */
function withHostPorts(container: Json): Json {
  return fill(container, {
    ports: (ports: unknown) => each(ports, (port) => fill(port, { hostPort: port.containerPort })),
  });
}
