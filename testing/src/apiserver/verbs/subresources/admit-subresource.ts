import { enforcePolicies } from '../../admission/policy/policies.ts';
import { callValidatingWebhooks } from '../../admission/webhook/validating-webhooks.ts';
import { type AdmissionRequest, operationOptions } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { Steps } from '../../cluster/steps.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { WriteOptions } from '../../request/options.ts';
import { requireStored, type Target } from '../target.ts';

/**
 * The end of the kind of a connection's options, keyed by subresource. Such a kind begins with the kind of
 * the object, as in `PodExecOptions`.
 */
const CONNECTED: Readonly<Record<string, string>> = {
  attach: 'AttachOptions',
  exec: 'ExecOptions',
  portforward: 'PortForwardOptions',
  proxy: 'ProxyOptions',
};

/**
 * Evaluates policies and calls webhooks for a request to a subresource whose objects are not stored: an
 * eviction, a Binding, a token request or a connection.
 *
 * @param body - the body of the request; undefined for a connection.
 * @throws ApiError in the same cases as `enforcePolicies` and `callValidatingWebhooks`.
 */
export function* admitSubresource(
  cluster: Cluster,
  target: Target,
  options: WriteOptions,
  body?: StoredObject,
): Steps<void> {
  const { served, namespace, name } = target;
  const { subresource = '' } = options;
  requireStored(cluster, target);
  const isConnection = body === undefined;
  const kind = `${served.kind}${CONNECTED[subresource] ?? ''}`;
  const object = { metadata: {}, ...(body ?? { apiVersion: 'v1', kind }) } as StoredObject;
  const request: AdmissionRequest = {
    operation: isConnection ? 'CONNECT' : 'CREATE',
    ...{ served, subresource, namespace, name, object },
    previous: undefined,
    options: isConnection ? {} : operationOptions('CreateOptions', options.sent),
    writer: options,
  };
  yield* enforcePolicies(cluster, request);
  yield* callValidatingWebhooks(cluster, request);
}
