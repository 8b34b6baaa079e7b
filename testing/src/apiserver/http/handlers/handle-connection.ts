import { badRequest, failure } from '../../failures/failure.ts';
import { isObject, type Json, valueAt } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { fromStored } from '../../registry/served-resource.ts';
import { requireStored, type Target } from '../../verbs/target.ts';
import { admitSubresource } from './admit-subresource.ts';
import type { Handling } from './handling.ts';

/** Subresources that connect to a container, a node or a port. */
export const CONNECTIONS: ReadonlySet<string> = new Set([
  'attach',
  'exec',
  'log',
  'portforward',
  'proxy',
]);

/**
 * Answers requests that a real server forwards to a kubelet. No container runs here, so there is no
 * log and nothing to connect to.
 *
 * @throws ApiError 404, 400 or 503 where a real server refuses the request itself; 501 where a kubelet would
 * answer it.
 */
export async function handleConnection(
  handling: Handling,
  target: Target,
  subresource: string,
): Promise<void> {
  const { cluster, served, exchange } = handling;
  const object = fromStored(served, requireStored(cluster, named(target)));
  if (subresource !== 'log') await admitSubresource(handling, named(target), subresource);
  if (served.kind === 'Service') throw noEndpoints(target.name);
  if (served.kind === 'Pod') checkPod(object, exchange.query.get('container'));
  if (subresource === 'log') {
    exchange.text(200, logOf(object, exchange.query), 'text/plain');
    return;
  }
  const upgrades = subresource === 'proxy' || exchange.header('upgrade') !== undefined;
  if (!upgrades) throw badRequest('Upgrade request required');
  throw failure({
    code: 501,
    message: `${served.plural}/${subresource} is not implemented: the embedded API server runs no containers`,
  });
}

/** Parses the name in a path to `proxy`. This name can have a scheme and a port, as in `https:web:8443`. */
function named(target: Target): Target {
  const parts = target.name.split(':');
  const name = parts.length === 3 ? parts[1] : parts[0];
  return { ...target, name: name ?? target.name };
}

function noEndpoints(name: string): Error {
  const service = name.split(':').length === 3 ? name.split(':')[1] : name.split(':')[0];
  const message = `no endpoints available for service "${service}"`;
  return failure({ code: 503, reason: 'ServiceUnavailable', message });
}

function checkPod(pod: StoredObject, container: string | null): void {
  const { name } = pod.metadata;
  const names = containersOf(pod).map((one) => String(one.name));
  if (container) {
    if (!names.includes(container)) {
      throw badRequest(`container ${container} is not valid for pod ${name}`);
    }
  } else if (names.length > 1) {
    const choice = names.join(' ');
    throw badRequest(
      `a container name must be specified for pod ${name}, choose one of: [${choice}]`,
    );
  }
  if (!valueAt(pod, ['spec', 'nodeName'])) {
    throw badRequest(`pod ${name} does not have a host assigned`);
  }
}

function containersOf(pod: StoredObject): readonly Json[] {
  const containers = valueAt(pod, ['spec', 'containers']);
  return Array.isArray(containers) ? containers.filter(isObject) : [];
}

/**
 * The empty log of a started container.
 * @throws ApiError 400 for a container that has not started.
 */
function logOf(pod: StoredObject, query: URLSearchParams): string {
  const { name } = pod.metadata;
  const container = query.get('container') || String(containersOf(pod)[0]?.name ?? '');
  const statuses = valueAt(pod, ['status', 'containerStatuses']);
  const status = Array.isArray(statuses) ? statuses.find((one) => one?.name === container) : {};
  if (query.get('previous') === 'true' && !status?.restartCount) {
    throw badRequest(`previous terminated container "${container}" in pod "${name}" not found`);
  }
  const waiting = valueAt(status, ['state', 'waiting', 'reason']);
  if (waiting !== undefined) {
    throw badRequest(`container "${container}" in pod "${name}" is waiting to start: ${waiting}`);
  }
  return '';
}
