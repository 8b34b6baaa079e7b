import { enforcePolicies } from '../../admission/policy/policies.ts';
import { operationOptions } from '../../cluster/admission-request.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { requireStored, type Target } from '../../verbs/target.ts';
import { type Handling, writeOptions } from './handling.ts';

/** How the options of a connection are called, after the kind that is connected to. */
const CONNECTED: Readonly<Record<string, string>> = {
  attach: 'AttachOptions',
  exec: 'ExecOptions',
  portforward: 'PortForwardOptions',
  proxy: 'ProxyOptions',
};

/**
 * Evaluates policies for a request to a subresource that stores no object of its own: an eviction, a Binding, the request
 * for a token, a connection.
 *
 * @throws ApiError as `enforcePolicies`.
 */
export function admitSubresource(
  { cluster, exchange }: Handling,
  target: Target,
  subresource: string,
  body?: StoredObject,
): void {
  const { served, namespace, name } = target;
  requireStored(cluster, target);
  const options = writeOptions(exchange, 'CreateOptions', subresource);
  const isConnection = body === undefined;
  const kind = `${served.kind}${CONNECTED[subresource] ?? ''}`;
  const object = { metadata: {}, ...(body ?? { apiVersion: 'v1', kind }) } as StoredObject;
  enforcePolicies(cluster, {
    operation: isConnection ? 'CONNECT' : 'CREATE',
    ...{ served, subresource, namespace, name, object },
    previous: undefined,
    options: isConnection ? {} : operationOptions('CreateOptions', options.sent),
    writer: options,
  });
}
